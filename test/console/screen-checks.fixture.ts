import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { pictureOf } from './console-world.fixture.ts'

const PHONE = { width: 390, height: 844 }

/** What every screen keeps: no fault of access, nothing beside a phone, no title and no markup that somebody else wrote. */
export async function checkScreen(page: Page, name: string): Promise<void> {
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
  await pictureOf(page, name)
  const { violations } = await new AxeBuilder({ page: page as never }).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
  const before = page.viewportSize()
  await page.setViewportSize(PHONE)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
  await pictureOf(page, `${name}-phone`)
  if (before) await page.setViewportSize(before)
  expect(await page.title()).toBe('Knowtation')
  expect(await page.locator('img[src="x"]').count()).toBe(0)
}

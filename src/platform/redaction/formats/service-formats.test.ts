import { describe, expect, test } from 'vitest'
import { ALPHANUMERIC, fakeText, HEX, LOWER, UPPER } from '../fixtures/fake-secrets.ts'
import { createRedactor } from '../redactor.ts'

const redactor = createRedactor()
const mixed = (length: number, seed = 3) => fakeText(length, seed, ALPHANUMERIC)
const lower = (length: number, seed = 3) => fakeText(length, seed, LOWER)
const upper = (length: number, seed = 3) => fakeText(length, seed, UPPER)
const hex = (length: number, seed = 3) => fakeText(length, seed, HEX)
const uuid = (seed = 3) => [8, 4, 4, 4, 12].map((length) => hex(length, seed + length)).join('-')

/** As each issuer makes them, put together here: prefix, then chance. */
const TOKENS: readonly (readonly [rule: string, token: string])[] = [
  ['cerebras_key', `csk-${lower(48)}`],
  ['nvidia_key', `nvapi-${mixed(64)}`],
  ['tavily_key', `tvly-dev-${mixed(32)}`],
  ['firecrawl_key', `fc-${hex(32)}`],
  ['e2b_key', `e2b_${hex(40)}`],
  ['apify_token', `apify_api_${mixed(36)}`],
  ['mongodb_key', `mdb_sa_sk_${mixed(40)}`],
  ['notion_token', `ntn_${mixed(46)}`],
  ['salesforce_token', `00D${mixed(12)}!${mixed(96)}`],
  ['netlify_token', `nfp_${mixed(36)}`],
  ['amazon_token', `amzn.mws.${uuid()}`],
  ['amazon_token', `amzn1.oa2-cs.v1.${hex(64)}`],
  ['aws_session_token', `IQoJb3JpZ2lu${mixed(200)}`],
  ['hubspot_token', `pat-na1-${uuid()}`],
  ['sourcegraph_token', `slk_${hex(64)}`],
  ['rootly_token', `rootly_${hex(64)}`],
  ['robinhood_key', `rh-api-${uuid()}`],
  ['scrapfly_key', `scp-live-${hex(32)}`],
  ['nats_seed', `SUAD${fakeText(54, 3, UPPER)}`],
  ['session_cookie', `s%3A${mixed(32)}.${mixed(43)}`],
  ['supabase_key', `sbp_v0_${hex(40)}`],
  ['secret_key', `sk_4711_123456_${hex(32)}`],
  ['newrelic_key', `NRAA-${hex(27)}`],
  ['adafruit_key', `aio_${mixed(28)}`],
  ['voiceflow_key', `VF.DM.${hex(24)}.${mixed(16)}`],
  ['wallet_key', `nsec1${lower(58)}`],
  ['firebase_key', `AAAA${mixed(7)}:APA91b${mixed(134)}`],
  ['secret_key', `sk_${hex(48)}`],
  ['secret_key', `sk_${uuid()}`],
  ['klaviyo_key', `pk_${hex(34)}`],
  ['clickup_token', `pk_${fakeText(8, 3, '123456789')}_${upper(32)}`],
  ['woocommerce_key', `ck_${hex(40)}`],
  ['mailersend_key', `mlsn.${hex(64)}`],
  ['zoho_token', `1000.${hex(32)}.${hex(32, 4)}`],
  ['asana_token', `1/${fakeText(16, 3, '123456789')}:${hex(32)}`],
  ['dropbox_token', `sl.${mixed(140)}`],
  ['airtable_token', `pat${mixed(14)}.${hex(64)}`],
  ['newrelic_key', `NRIQ-${mixed(25)}`],
  ['newrelic_key', `${hex(32)}FFFFNRAL`],
  ['pulumi_token', `pul-${lower(40)}`],
  ['discord_webhook', `discord.com/api/v10/webhooks/${fakeText(18, 3, '123456789')}/${mixed(68)}`],
  ['chat_webhook', `open.feishu.cn/open-apis/bot/v2/hook/${uuid()}`],
  ['telegram_token', `${fakeText(10, 3, '123456789')}:AA${mixed(33)}`],
  ['password_hash', `pbkdf2_sha256$260000$${mixed(22)}$${mixed(43)}=`],
  ['password_hash', `scrypt:32768:8:1$${mixed(16)}$${hex(128)}`],
  ['password_hash', `{SSHA}${mixed(32)}`],
  ['password_hash', `$P$B${mixed(30)}`],
]

describe('formats of services', () => {
  test.each(TOKENS)('%s', (rule, token) => {
    for (const text of [`before ${token} after`, `"${token}"`, `x=${token}`]) {
      expect(redactor.redact(text)).toBe(text.replace(token, () => `[REDACTED:${rule}]`))
    }
  })

  test('names that begin alike are left alone', () => {
    for (const text of [
      '#define sk_X509V3_EXT_METHOD_new_reserve(cmp, n) OPENSSL_sk_new_reserve(cmp, n)',
      'com.example:secret-token:20.23.1=compileClasspath,runtimeClasspath',
      'secret_configuration_of_the_application',
      'pk_users_organizations_memberships_2024',
      'live_migration_of_virtual_machines_to_hosts',
      'discord.com/api/v10/webhooks/',
      'libs/ptr_container/test/tut34.cpp',
      'with_bitrise_setup_and_is_a_pull_request do |system_env|',
    ]) {
      expect(redactor.redact(text)).toBe(text)
    }
  })
})

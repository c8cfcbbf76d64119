import './style/tokens.css'
import './style/base.css'
import './style/parts.css'
import './style/frame.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Refused } from './api/client'
import { LiveProvider } from './live/live'
import { NowProvider } from './live/now'
import { openRouter } from './router'

const RETRIES = 2

/** A refusal is an answer: only what did not come through is asked again. */
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => error instanceof Refused && error.status === 0 && failures < RETRIES,
    },
  },
})

const place = document.getElementById('console')
if (place)
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <LiveProvider>
          <NowProvider>
            <RouterProvider router={openRouter()} />
          </NowProvider>
        </LiveProvider>
      </QueryClientProvider>
    </StrictMode>,
  )

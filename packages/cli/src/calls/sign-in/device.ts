import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { removeControlCharacters } from '@sluice/calls/control-characters'
import { ApiError, createClient } from '@sluice/client'
import { cliUserAgent, fetchWithErrorReason, NoResponse } from '../connect.ts'
import { browse } from '../open.ts'

/** Increase of the poll interval after `slow_down` (RFC 8628, section 3.5), in seconds. */
const slower = 5

/** Obtains a key by device sign-in: a signed-in user enters a code in the console and approves. */
export async function obtainKeyByDeviceSignIn(baseUrl: string, { opens }: { opens: boolean }): Promise<string> {
  const client = createClient({ baseUrl, userAgent: cliUserAgent, fetch: fetchWithErrorReason, retry: false })
  const clientName = `sluice login on ${hostname()}`.slice(0, 100)
  const { data: codes } = await client.startDeviceSignIn({ body: { data: { clientName } } })
  const minutes = Math.ceil(codes.expiresIn / 60)
  process.stderr.write(
    `Open ${removeControlCharacters(codes.verificationUri)} and enter ${removeControlCharacters(codes.userCode)}.\n`,
  )
  process.stderr.write(`Waiting for up to ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.\n`)
  if (opens && /^https?:$/.test(URL.parse(codes.verificationUriComplete)?.protocol ?? '')) {
    browse(codes.verificationUriComplete)
  }
  const endsAt = performance.now() + codes.expiresIn * 1_000
  for (let seconds = codes.interval; performance.now() < endsAt; ) {
    await pause(seconds * 1_000)
    try {
      const { data } = await client.finishDeviceSignIn({ body: { data: { deviceCode: codes.deviceCode } } })
      return data.token
    } catch (error) {
      if (isOf(error, 'Sluice:Auth:SLOW_DOWN')) seconds += slower
      else if (!isOf(error, 'Sluice:Auth:AUTHORIZATION_PENDING') && !(error instanceof NoResponse)) throw error
    }
  }
  throw new Error('The code was not entered in time. Run sluice login again.')
}

const isOf = (error: unknown, code: string): boolean => error instanceof ApiError && error.error.code === code

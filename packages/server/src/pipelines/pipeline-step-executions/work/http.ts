import { failures, type UserFacingError } from '@sluice/contract'
import { parseBoundedJson } from '@sluice/contract/bounded-json'
import { OutboundError, type OutboundResponse } from '@sluice/outbound/send'
import { listed } from '../../../platform/http/listed.ts'
import { maskSecrets } from '../../pipeline-runs/secrets.ts'
import type { StepWith } from '../../pipeline-versions/config/schema.ts'
import { noteAttempt } from '../store.ts'
import { cancelled, failed, rendered, type StepWork } from './work.ts'

/**
 * Sends a request; its answer is the output. A crash between the answer and its being stored sends it again, under the
 * same Idempotency-Key.
 */
export const http: StepWork = async ({ db, sendOutbound }, attempt) => {
  const { step, config } = attempt
  if (step.cancelRequestedAt) return cancelled
  const { given, shown, secrets } = rendered('http', attempt)
  if (!(await noteAttempt(db, step, { inputData: shown }))) return cancelled
  const { url, method = 'GET', expect_status } = given
  const { timeout_seconds } = config
  try {
    const response = await sendOutbound({
      method,
      url,
      headers: headersOf(given, `${step.id}-${step.attemptEpoch}`),
      ...(given.body !== undefined && { body: bodyOf(given.body) }),
      ...(timeout_seconds !== undefined && { signal: AbortSignal.timeout(timeout_seconds * 1000) }),
    })
    const output = maskSecrets(outputOf(response), secrets)
    if (isExpected(response.status, expect_status)) return { outcome: { status: 'SUCCESS', output } }
    return failed(maskSecrets(unexpected(response), secrets))
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
    if (isTimeout) return cancelled // its time is up
    if (!(error instanceof OutboundError)) throw error
    return failed(maskSecrets({ code: failures.requestFailed.code, message: error.message }, secrets))
  }
}

const isExpected = (status: number, expected: number[] | undefined): boolean =>
  expected ? expected.includes(status) : status >= 200 && status < 300

function headersOf({ headers = {}, body, method }: StepWith<'http'>, key: string): Record<string, string> {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  const isJson = body !== undefined && typeof body !== 'string' && !names.includes('content-type')
  const changes = method !== undefined && !['GET', 'HEAD'].includes(method) && !names.includes('idempotency-key')
  return {
    ...(isJson && { 'content-type': 'application/json' }),
    ...(changes && { 'idempotency-key': key }),
    ...headers,
  }
}

const bodyOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

function outputOf({ status, headers: { 'set-cookie': _, ...headers }, body }: OutboundResponse) {
  return { status, headers, body: isJson(headers) ? parsed(body) : body }
}

const isJson = (headers: Record<string, string>): boolean => /[/+]json\b/.test(headers['content-type'] ?? '')

function parsed(body: string): unknown {
  try {
    return parseBoundedJson(body)
  } catch {
    return body // whoever says that it is JSON may be wrong, and no template reads one beyond its bounds
  }
}

/** How much of an unexpected answer is shown. Characters. */
const shownLength = 2_000

const unexpected = ({ status, body }: OutboundResponse): UserFacingError => ({
  code: failures.requestFailed.code,
  message: `The answer has the status ${status}.`,
  details: listed('Answer', [body.slice(0, shownLength)]),
  metadata: { status },
})

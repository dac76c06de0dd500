import { failures, type UserFacingError } from '@sluice/contract'
import type { Outcome } from '@sluice/contract/runner-protocol'
import { mapOutcome } from '@sluice/contract/runner-protocol/map-outcome'
import { outputBounds, type ProgramValue, readProgramJson, toStorableOutput } from '@sluice/contract/storable-value'
import { OutboundError, type OutboundHead, type OutboundResponse } from '@sluice/outbound/send'
import { listed } from '../../../platform/http/listed.ts'
import { maskSecrets } from '../../pipeline-runs/secrets.ts'
import type { StepWith } from '../../pipeline-versions/config/schema.ts'
import { saveProgress } from '../store.ts'
import { cancelled, failed, rendered, type StepWork } from './work.ts'

/**
 * Sends a request and returns its response as the output. After a crash before the response is stored, sends it again
 * with the same Idempotency-Key. Omits values of the response that cannot be stored.
 */
export const http: StepWork = async ({ db, sendOutbound }, attempt) => {
  const { step, config } = attempt
  if (step.cancelRequestedAt) return cancelled
  const { given, shown, secrets } = rendered('http', attempt)
  if (!(await saveProgress(db, step, { inputData: shown }))) return cancelled
  const { url, method = 'GET', expect_status } = given
  const { timeout_seconds } = config
  const hidden = (outcome: Outcome) => mapOutcome(outcome, (value) => maskSecrets(value, secrets))
  try {
    const response = await sendOutbound({
      method,
      url,
      headers: headersOf(given, `${step.id}-${step.attemptEpoch}`),
      ...(given.body !== undefined && { body: bodyOf(given.body) }),
      ...(timeout_seconds !== undefined && { signal: AbortSignal.timeout(timeout_seconds * 1000) }),
    })
    if (!isExpected(response.status, expect_status)) return failed(maskSecrets(unexpected(response), secrets))
    return { outcome: hidden(successOf(response, readBody(response))) }
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
    if (isTimeout) return cancelled // timed out
    if (!(error instanceof OutboundError)) throw error
    if (error.answer && isExpected(error.answer.status, expect_status)) {
      return { outcome: hidden(successOf(error.answer, withoutBody(error.message))) }
    }
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

function successOf(answer: OutboundHead, body: ProgramValue): Outcome {
  const {
    status,
    headers: { 'set-cookie': _, ...headers },
  } = answer
  const whole = { status, headers, ...(body.value !== undefined && { body: body.value }) }
  // The size of the whole response is limited in bytes.
  const bounds = { ...outputBounds, maxCharacters: Number.POSITIVE_INFINITY }
  const { value: output, omittedValues } = toStorableOutput(whole, 'output', bounds)
  return { status: 'SUCCESS', output, omittedValues: [...body.omittedValues, ...omittedValues] }
}

function readBody({ headers, body, isUtf8 }: OutboundResponse): ProgramValue {
  if (!isUtf8) return withoutBody(`expected text in UTF-8, got ${encodingOf(headers)}`)
  if (!isJson(headers)) return { value: body, omittedValues: [] }
  try {
    return readProgramJson(body, bodyPath)
  } catch {
    return { value: body, omittedValues: [] } // not JSON, regardless of its content type
  }
}

const bodyPath = 'output.body'

const withoutBody = (reason: string): ProgramValue => ({
  value: undefined,
  omittedValues: [{ path: bodyPath, reason }],
})

const isJson = (headers: Record<string, string>): boolean => /[/+]json\b/.test(headers['content-type'] ?? '')

const encodingOf = (headers: Record<string, string>): string =>
  headers['content-encoding'] ?? headers['content-type'] ?? 'other bytes'

/** Maximum number of characters of an unexpected response that an error includes. */
const maxShownLength = 2_000

const unexpected = ({ status, body }: OutboundResponse): UserFacingError => ({
  code: failures.requestFailed.code,
  message: `The answer has the status ${status}.`,
  details: listed('Answer', [body.slice(0, maxShownLength)]),
  metadata: { status },
})

import { randomUUID } from 'node:crypto'
import { answerCall, type CloudResponse, type SimulationContext } from './cloud-call.ts'
import { answerControl } from './control.ts'
import { CloudError } from './errors.ts'
import { isPresigned, readPresignedUrl } from './presigned-url.ts'
import { readSignature } from './signature.ts'
import { json11 } from './wire/json.ts'
import type { HttpRequest, HttpResponse } from './wire/protocol.ts'

/** Handles a request: `/_sim/` is the control API, everything else the simulated cloud. */
export async function answerRequest(simulated: SimulationContext, request: HttpRequest): Promise<CloudResponse> {
  const { url, headers } = request
  if (url.pathname.startsWith('/_sim/')) {
    const { status, value } = await answerControl(simulated.world, simulated.calls, request)
    return jsonAnswer(status, value === undefined ? '' : JSON.stringify(value))
  }
  const requestId = randomUUID()
  const signature = isPresigned(url)
    ? readPresignedUrl(url)
    : readSignature(headers.authorization, String(headers['x-amz-security-token'] ?? ''))
  if (!signature) {
    const error = new CloudError('MissingAuthenticationTokenException', 'Missing Authentication Token', 403)
    return withId(json11.error(error, requestId), requestId)
  }
  const answer = await answerCall(simulated, { ...request, signature, requestId })
  return answer && withId(answer, requestId)
}

const withId = (answer: HttpResponse, requestId: string): HttpResponse => ({
  ...answer,
  headers: { 'x-amzn-requestid': requestId, ...answer.headers },
})

/** Creates a JSON response. */
export const jsonAnswer = (status: number, body: string): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body,
})

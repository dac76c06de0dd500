import { isDeploymentOver, type PipelineRun } from '@sluice/contract'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { startStubServer } from '../testing/stub-server.ts'
import { startWorld, type TestOrganization, type World } from '../testing/world.ts'

type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: Record<string, unknown>
  links: string[]
}

let receiver: Awaited<ReturnType<typeof startStubServer>>
let world: World
let organization: TestOrganization
beforeAll(async () => {
  vi.stubEnv('SLUICE_RUNNER_ISOLATION', 'none')
  receiver = await startStubServer()
  world = await startWorld({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-receiver,x-tenant=ops',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
  })
  organization = await world.organization()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await world?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
})

test('a release is one trace: from the request and the message to the calls of the cloud', async () => {
  const { moduleInstanceId } = await organization.service(null)
  const given = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }
  const json = JSON.stringify({
    data: { moduleInstanceId, description: 'Release 2', inputs: { image_ref: 'shop/app:2' } },
  })
  const headers = { traceparent: `00-${given.traceId}-${given.spanId}-01` }
  const answer = await organization.client.send('POST', '/deployments', { json, headers })
  const { id } = (answer.body as { data: { id: string } }).data
  const [, traceId, spanId] = answer.headers.get('traceparent')?.split('-') ?? []
  await organization.until(id, 'over', ({ status }) => isDeploymentOver(status))

  const spans = await spansOf(traceId, 'ECS UpdateService')
  const request = spans.find(({ name }) => name === 'POST /deployments')
  const message = spans.find(({ name }) => name === 'deployment advance')
  const call = spans.find(({ name }) => name === 'ECS UpdateService')
  expect(request).toMatchObject({ spanId, links: [given.traceId] })
  expect(request, 'a trace that others name is not gone on with').not.toHaveProperty('parentSpanId')
  expect(message).toMatchObject({ parentSpanId: spanId, attributes: { 'sluice.id': id } })
  expect(call).toMatchObject({ parentSpanId: message?.spanId })
  const { organizationId } = await organization.get(id)
  for (const one of [request, call]) expect(one?.attributes).toMatchObject({ 'sluice.organizationId': organizationId })

  const [first] = receiver.received
  expect(first).toMatchObject({
    path: '/v1/traces',
    headers: { authorization: 'Bearer of-the-receiver', 'x-tenant': 'ops' },
  })
  expect(receiver.received.map(({ body }) => body).join()).not.toContain(organization.client.token)
})

test('scheduled polls are traces of their own, which name the record', async () => {
  const { moduleInstanceId } = await organization.service(null)
  const { id } = await organization.deploy(moduleInstanceId)
  await organization.until(id, 'over', ({ status }) => isDeploymentOver(status))
  const looks = await eventually(
    'looks',
    async () => spans().filter(({ name, attributes }) => name === 'deployment look' && attributes['sluice.id'] === id),
    (found) => found.some(({ parentSpanId }) => parentSpanId === undefined),
  )
  const traces = looks.filter(({ parentSpanId }) => parentSpanId === undefined).map(({ traceId }) => traceId)
  expect(new Set(traces).size).toBe(traces.length)
})

test("the program of a step belongs to the trace of the run's cause", async () => {
  const { pipelines, client } = organization
  const script = 'echo "{\\"place\\": \\"$TRACEPARENT\\"}" > $SLUICE_OUTPUT'
  const { id: pipelineId } = await pipelines.create({ steps: [{ id: 'a', type: 'command', with: { shell: script } }] })
  const answer = await client.ask('POST', '/pipeline-runs', { data: { pipelineId } })
  const [, traceId, spanId] = answer.headers.get('traceparent')?.split('-') ?? []
  const { id } = (answer.body as { data: PipelineRun }).data
  expect(await pipelines.untilOver(id)).toMatchObject({ status: 'SUCCESS' })

  const { outputData } = await pipelines.step(id, 'a')
  const handedOut = (await spansOf(traceId, 'step handed out')).find(({ name }) => name === 'step handed out')
  expect(outputData).toEqual({ place: `00-${traceId}-${handedOut?.spanId}-01` })
  expect(handedOut).toMatchObject({ parentSpanId: spanId, attributes: { 'sluice.pipelineRunId': id } })
})

/** Returns the spans of a trace, once one with this name has arrived. */
const spansOf = (traceId: string | undefined, name: string) =>
  eventually(
    `${name} to be sent`,
    async () => spans().filter((span) => span.traceId === traceId),
    (found) => found.some((span) => span.name === name),
  )

/**
 * Returns all received spans in OTLP's JSON format: https://opentelemetry.io/docs/specs/otlp/#otlphttp, read
 * 2026-11-26.
 */
const spans = (): Span[] =>
  receiver.received.flatMap(({ body }) =>
    (JSON.parse(body) as Sent).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) =>
        spans.map(({ attributes, links = [], ...span }) => ({
          ...span,
          attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
          links: links.map(({ traceId }) => traceId),
        })),
      ),
    ),
  )

type Sent = { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }
type SentSpan = Omit<Span, 'attributes' | 'links'> & {
  attributes: { key: string; value: Record<string, unknown> }[]
  links?: { traceId: string }[]
}

import { Agent, type IncomingMessage, request as startRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { Compile, type Validator } from 'typebox/compile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cpuTimeMs } from '../../../../../testing/cpu-time.ts'
import { seedOf, testSeed } from '../../../../../testing/seed.ts'
import { pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything, iacAddress } from '../../testing/resources.ts'
import { startWorld, type World } from '../../testing/world.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { type JsonSchema, mapInside } from '../openapi/json-schema.ts'
import { createInsider, type InsideRequest, type Insider, insideOperations } from './insider.fixture.ts'
import { type Operation, type Request, requestTo } from './requests.fixture.ts'

const atLeast = Number(process.env.FUZZ_REQUESTS ?? 20_000)
const seed = seedOf('FUZZ_SEED') ?? testSeed
/** Number of concurrent requests. */
const abreast = 20
/** Maximum processor time of this process during any request, in milliseconds. Wall time grows with load. */
const slowMs = 5_000
/** Maximum duration of any request, in milliseconds. A longer one waits for something that never comes. */
const hangMs = 60_000
/**
 * Maximum growth of the heap after garbage collection. A leak of 1 KiB in each of a million requests would exceed it.
 */
const growthBytes = 300 * 1024 * 1024

type Answers = { validators: Map<number, Validator | undefined>; seen: Map<number, number> }

let world: World
/** Known records that requests can name, by resource. */
const records = new Map<string, string[]>()
const answers = new Map<string, Answers>()
let callers: string[]
let insider: Insider
/** Creates new records to replace deleted ones. */
let restock: () => Promise<void>
const agent = new Agent({ keepAlive: true, maxSockets: abreast })

beforeAll(async () => {
  world = await startWorld({ env: { SLUICE_LOG_LEVEL: 'silent', SLUICE_TRUSTED_PROXIES: '127.0.0.1' } })
  const everything = await createOneOfEverything(world.db)
  const other = await createOneOfEverything(world.db)
  insider = await createInsider(world)
  for (const { byPath } of [everything, other, insider]) stock(byPath)
  records.set('address', [iacAddress])
  restock = async () => {
    const { byPath } = await createOneOfEverything(world.db, everything)
    stock(byPath)
    stock({ 'pipeline-step-executions': await askForApproval(byPath['pipeline-step-executions'] ?? '') })
  }
  const member = (role: 'OWNER' | 'ADMIN' | 'DEVELOPER' | 'VIEWER') =>
    addMember(world.db, everything.organizationId, role)
  const [owner, admin, developer, viewer] = await Promise.all([
    member('OWNER'),
    member('ADMIN'),
    member('DEVELOPER'),
    member('VIEWER'),
  ])
  const stranger = await addMember(world.db, other.organizationId, 'OWNER')
  callers = [
    ...Array<string>(12).fill(owner),
    ...Array<string>(3).fill(admin),
    developer,
    viewer,
    stranger,
    '',
    insider.token,
  ]
})
afterAll(async () => {
  agent.destroy()
  await world?.[Symbol.asyncDispose]()
})

test(`${atLeast} requests made from the description, seed ${seed}`, { timeout: 0 }, async () => {
  const document = (await (await fetch(`${world.url}/openapi.json`)).json()) as OpenApiDocument
  const operations = operationsOf(document)
  const before = heapBytes()
  // Few deletions, so that records remain.
  const requests = fc.oneof(
    ...operations.map((operation) => ({
      weight: operation.method === 'DELETE' ? 1 : 4,
      arbitrary: requestTo(operation),
    })),
  )
  const runs = Math.ceil(atLeast / abreast)
  let sentBatches = 0
  await fc.assert(
    fc.asyncProperty(fc.array(requests, { minLength: abreast, maxLength: abreast }), async (batch) => {
      const isRound = sentBatches++ % 50 === 0
      if (isRound) await restock()
      const inside = isRound ? (await insider.round()).map((request) => asRequest(operations, request)) : []
      await Promise.all([...batch, ...inside].map(expectAnswer))
    }),
    // The server has state, so that a failure cannot be reproduced with a smaller example.
    { numRuns: runs, seed, endOnFailure: true, asyncReporter: async ({ errorInstance }) => failedWith(errorInstance) },
  )
  report()
  expect(heapBytes() - before).toBeLessThan(growthBytes)
  for (const name of insideOperations) {
    const statuses = [...(answers.get(name)?.seen.keys() ?? [])]
    expect(
      statuses.some((status) => status < 300),
      `${name} never succeeded`,
    ).toBe(true)
  }
  const counts = [...answers.values()].flatMap(({ seen }) => [...seen])
  const share = (from: number, to: number) =>
    counts.filter(([status]) => status >= from && status < to).reduce((sum, [, count]) => sum + count, 0) /
    (runs * abreast)
  // Ensures that enough requests succeed for the suite to be meaningful.
  expect(share(200, 300)).toBeGreaterThan(0.1)
  expect(share(400, 500)).toBeGreaterThan(0.1)
})

/** Reports the first failure with the seed, which reproduces all requests of its batch. */
function failedWith(error: unknown): void {
  if (error) throw error
}

function asRequest(operations: Operation[], { operation: name, path, headers = {}, body }: InsideRequest): Request {
  const operation = operations.find((one) => one.name === name)
  if (!operation) throw new Error(`the description has no ${name}`)
  const caller = callers.indexOf(insider.token)
  return { operation, target: path, headers, body: Buffer.from(JSON.stringify(body)), caller }
}

/** Adds a step that waits for approval. */
async function askForApproval(stepExecutionId: string): Promise<string> {
  const [step] = await world.db
    .select()
    .from(pipelineStepExecutions)
    .where(eq(pipelineStepExecutions.id, stepExecutionId))
  if (!step) throw new Error(`there is no step ${stepExecutionId}`)
  const id = newId('step')
  const waits = { stepId: 'approve', status: 'PENDING_APPROVAL', queueReason: 'APPROVED' } as const
  await world.db.insert(pipelineStepExecutions).values({ ...step, id, engineWorkflowId: id, ...waits })
  return id
}

/** Sends a request and fails unless its response matches the description. */
async function expectAnswer(request: Request): Promise<void> {
  const { operation } = request
  const [startedAt, usedMs] = [performance.now(), cpuTimeMs()]
  const { status, headers, body } = await send(request)
  const took = { wallMs: performance.now() - startedAt, processorMs: cpuTimeMs() - usedMs }
  const fault = durationFault(took) ?? faultOf(operation, status, headers, body)
  if (fault !== undefined) {
    const shown = { ...request, operation: operation.name, body: request.body?.toString().slice(0, 2_000) }
    throw new Error(`${fault}\nasked: ${JSON.stringify(shown, null, 2)}\nanswered: ${status} ${body.slice(0, 2_000)}`)
  }
  const known = answers.get(operation.name)
  known?.seen.set(status, (known.seen.get(status) ?? 0) + 1)
  if (status === 201) remember(operation, body)
}

function durationFault(took: { wallMs: number; processorMs: number }): string | undefined {
  if (took.processorMs > slowMs) return `it used up to ${Math.round(took.processorMs)} ms of processor time`
  return took.wallMs > hangMs ? `it took ${Math.round(took.wallMs)} ms` : undefined
}

function faultOf(
  { name }: Operation,
  status: number,
  headers: IncomingMessage['headers'],
  body: string,
): string | undefined {
  if (status === 500) return 'the server failed'
  const { validators } = answers.get(name) ?? { validators: new Map<number, Validator | undefined>() }
  if (!validators.has(status)) return `the description of ${name} has no answer ${status}`
  if (typeof headers['x-request-id'] !== 'string') return 'there is no request id'
  const validator = validators.get(status)
  if (headers['content-encoding'] !== undefined) return undefined
  if (headers['content-type']?.includes('ndjson')) {
    for (const line of body.split('\n').slice(0, -1)) JSON.parse(line)
    return undefined
  }
  if (headers['content-type']?.startsWith('text/csv')) return undefined
  if (!validator) return body === '' ? undefined : 'there should be no body'
  const value: unknown = JSON.parse(body)
  if (!validator.Check(value)) return `the body is not as described: ${JSON.stringify(validator.Errors(value))}`
  const { code, requestId } = value as { code?: string; requestId?: string }
  // Some responses above 400 are not errors, such as that the service is not ready.
  if (code !== undefined && requestId !== headers['x-request-id']) return 'the request id is not in both places'
  return undefined
}

function send({ operation, target, headers, body, caller }: Request) {
  const path = withRecords(target, encodeURIComponent)
  const payload =
    body &&
    Buffer.from(
      withRecords(body.toString('latin1'), (id) => id),
      'latin1',
    )
  const key = callers[caller % callers.length]
  const sent = {
    ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
    ...(payload && { 'content-type': 'application/json', 'content-length': String(payload.length) }),
    'accept-encoding': 'identity',
    ...headers,
  }
  return new Promise<{ status: number; headers: IncomingMessage['headers']; body: string }>((resolve, reject) => {
    // Passes the target unchanged, because a URL would normalize `/a/./b`.
    const { hostname, port } = new URL(world.url)
    const { method } = operation
    const asked = startRequest({ hostname, port, path, method, headers: sent, agent }, async (response) => {
      const isPacked = response.headers['content-encoding'] !== undefined
      // Compressed responses are requested only by unusual headers, and another suite covers them.
      const body = await text(response)
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: isPacked ? '' : body })
    })
    asked.on('error', reject)
    asked.end(payload)
  })
}

const withRecords = (place: string, write: (id: string) => string): string =>
  place.replaceAll(/@([a-z-]+):(\d+)/g, (_, resource: string, pick: string) => {
    const known = records.get(resource) ?? []
    return write(known[Number(pick) % known.length] ?? 'nobody')
  })

/** Stores new records, so that later requests can name them. */
function remember({ path }: Operation, body: string): void {
  const { data } = JSON.parse(body) as { data: { id?: string } }
  if (data.id !== undefined) stock({ [path.split('/').at(1) ?? '']: data.id })
}

/** Keeps the newest records of each resource, so that requests often name the same ones. */
function stock(byPath: Readonly<Record<string, string>>): void {
  for (const [resource, id] of Object.entries(byPath)) {
    records.set(resource, [id, ...(records.get(resource) ?? [])].slice(0, 8))
  }
}

/** Reads the operations from the description, with all references resolved. */
function operationsOf(document: OpenApiDocument): Operation[] {
  const whole = (schema: JsonSchema): JsonSchema => {
    if (schema.$ref === undefined) return mapInside(schema, whole)
    return whole((document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) as JsonSchema)
  }
  const bodyOf = ({ schema, example }: { schema: JsonSchema; example: unknown }) => ({ schema: whole(schema), example })
  type Described = {
    operationId: string
    parameters?: { name: string; in: string; required: boolean; schema: JsonSchema }[]
    requestBody?: { content: { 'application/json': { schema: JsonSchema; example: unknown } } }
    responses: Record<string, { content?: { 'application/json'?: { schema: JsonSchema } } }>
  }
  // Excludes streams, which never end here.
  const isShort = ([, { responses }]: [string, Described]) =>
    !Object.values(responses).some(({ content = {} }) => 'text/event-stream' in content)
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Described>)
      .filter(isShort)
      .map(([method, described]): Operation => {
        const { operationId: name, parameters = [], requestBody, responses } = described
        const validators = Object.entries(responses).map(([status, { content }]) => {
          const schema = content?.['application/json']?.schema // newline-delimited JSON has no single schema
          return [Number(status), schema && Compile(whole(schema))] as const
        })
        answers.set(name, { validators: new Map(validators), seen: new Map() })
        const inPlace = (place: string) =>
          parameters
            .filter((one) => one.in === place)
            .map(({ name, schema, required }) => ({ name, schema: whole(schema), isRequired: required }))
        return {
          [fc.toStringMethod]: () => name, // name in reports, instead of its schemas
          name,
          method: method.toUpperCase(),
          path,
          params: inPlace('path'),
          query: inPlace('query'),
          ...(requestBody && { body: bodyOf(requestBody.content['application/json']) }),
        }
      }),
  )
}

function report(): void {
  const lines = [...answers].map(([name, { seen }]) => {
    const counts = [...seen].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
    return `${name.padEnd(34)} ${counts.join('  ')}`
  })
  console.log(lines.join('\n'))
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

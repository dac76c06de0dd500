import { once } from 'node:events'
import { connect } from 'node:net'
import { apiErrors, routes } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { probeOf, type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { ApiError } from './api-error.ts'
import { handle } from './handle.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let superadmin: SeededOrganization
let pluginTimeoutMs: number | undefined

beforeAll(async () => {
  // Serves operations with handlers that throw, so that responses show how a request reached them.
  world = await startHttpWorld((app) => {
    pluginTimeoutMs = app.initialConfig.pluginTimeout
    handle(app, probeOf(routes.createDeployment), async ({ body }) => {
      throw new ApiError('inputInvalid', 'reached the handler', { metadata: { body } })
    })
    handle(app, probeOf(routes.continueDeployment), async () => {
      throw new Error('the handler broke')
    })
    handle(app, probeOf(routes.redeployDeployment), async () => {
      throw new ApiError('noStoredRelease', 'reached the handler')
    })
    handle(app, probeOf(routes.cancelDeployment), async () => {
      throw new ApiError('queueFull', 'a refusal that cancel does not declare')
    })
  })
  owner = await seedOrganization(world.db)
  superadmin = await seedOrganization(world.db, { globalRole: 'SUPERADMIN' })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const create = (body: string) => world.send('/probe/deployments', owner.key, body)
const valid = { description: 'Release 7', moduleInstanceId: 'mi_1' }

test('a valid body reaches the handler unchanged', async () => {
  const inputs = { text: 'ü €', list: [1, -0.5, 1.5e-7, null, true], deep: { constructor: { a: 1 } }, '1': {} }
  const { status, body } = await create(JSON.stringify({ data: { ...valid, inputs } }))
  expect(body).toMatchObject({ code: apiErrors.inputInvalid.code, message: 'reached the handler' })
  expect(status).toBe(400)
  expect(body.metadata.body).toEqual({ data: { ...valid, inputs } })
})

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const withInputs = (inputs: string) => `{"data":{"description":"","moduleInstanceId":"mi_1","inputs":${inputs}}}`

test(
  'an invalid body is rejected with every error',
  everyCase(
    [
      ['no body', '', ['$: expected object, got no value']],
      ['an array', '[]', ['$: expected object, got array']],
      ['null', 'null', ['$: expected object, got null']],
      ['a text', '"x"', ['$: expected object, got string']],
      [
        'no wrapper',
        JSON.stringify(valid),
        [
          '$.data: required, but missing',
          '$.description: unknown property; available: data',
          '$.moduleInstanceId: unknown property; available: data',
        ],
      ],
      [
        'an empty wrapper',
        '{"data":{}}',
        ['$.data.description: required, but missing', '$.data.moduleInstanceId: required, but missing'],
      ],
      ['a wrong type in the wrapper', '{"data":[]}', ['$.data: expected object, got array']],
      [
        'several faults at once',
        '{"data":{"description":7,"inputs":[],"we/ird":1},"extra":1}',
        [
          '$.extra: unknown property; available: data',
          '$.data.description: expected string, got number',
          '$.data.inputs: expected object, got array',
          '$.data.moduleInstanceId: required, but missing',
          '$.data["we/ird"]: unknown property; available: description, inputs, moduleInstanceId',
        ],
      ],
      [
        'a number as text',
        '{"data":{"description":"","moduleInstanceId":1}}',
        ['$.data.moduleInstanceId: expected string, got number'],
      ],
      ['null for an optional field', withInputs('null'), ['$.data.inputs: expected object, got null']],
      [
        'an empty id',
        '{"data":{"description":"","moduleInstanceId":""}}',
        ['$.data.moduleInstanceId: expected at least 1 characters'],
      ],
      [
        'a read-only field',
        '{"data":{"description":"","moduleInstanceId":"mi_1","status":"SUCCESS"}}',
        ['$.data.status: unknown property; available: description, inputs, moduleInstanceId'],
      ],
      [
        'a NUL',
        withInputs('{"a":["\\u0000"]}'),
        ['$.data.inputs.a[0]: expected text without NUL characters or lone surrogates'],
      ],
      [
        'a NUL in a name',
        withInputs('{"\\u0000":1}'),
        ['$.data.inputs["\\u0000"]: expected a name without NUL characters or lone surrogates'],
      ],
      [
        'a lone surrogate',
        withInputs('{"a":"\\ud800"}'),
        ['$.data.inputs.a: expected text without NUL characters or lone surrogates'],
      ],
      [
        'an infinite number',
        withInputs('{"a":1e400}'),
        ['$.data.inputs.a: expected a number within ±9007199254740991; send it as text'],
      ],
      [
        'a number that would be rounded',
        withInputs('{"a":12345678901234567890}'),
        ['$.data.inputs.a: expected a number within ±9007199254740991; send it as text'],
      ],
      [
        '__proto__',
        withInputs('{"__proto__":{"a":1}}'),
        ['$.data.inputs.__proto__: expected a name other than __proto__'],
      ],
      [
        'names that come twice',
        withInputs('{"a":[{"b":1,"\\u0062":2}],"a":{}}'),
        ['$.data.inputs.a[0].b: expected once, it is there again', '$.data.inputs.a: expected once, it is there again'],
      ],
      [
        'deep nesting',
        withInputs(`{"a":${nested(100)}}`),
        [`$.data.inputs.a${'[0]'.repeat(61)}: expected at most 64 levels of nesting`],
      ],
      ['nesting without end', withInputs(`{"a":${nested(10_000)}}`), ['$: expected at most 128 levels of nesting']],
    ],
    async (_what, text, faults) => {
      const { status, body } = await create(text)
      expect(body.code).toBe(apiErrors.requestInvalid.code)
      expect(status).toBe(400)
      expect(body.details).toEqual([{ title: 'Body', render: 'list', items: expect.any(Array) }])
      expect(body.details[0].items.toSorted()).toEqual(faults.toSorted())
    },
  ),
)

test('fifty errors in one body are all reported', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field${index}`, index]))
  const { body } = await create(JSON.stringify({ data: { ...valid, ...unknown } }))
  expect(body.details[0].items).toHaveLength(50)
})

test(
  'a malformed body is rejected with the matching status',
  everyCase(
    [
      ['half an object', 'malformedJson', '{"data":'],
      ['an object and more', 'malformedJson', '{"data":{}}x'],
      ['single quotes', 'malformedJson', "{'data':{}}"],
      ['a bare control character', 'malformedJson', '{"data":{"description":"\0"}}'],
      ['forty thousand brackets', 'requestInvalid', nested(40_000)],
      ['half a million brackets', 'bodyTooLarge', nested(500_000)],
      ['more than a mebibyte', 'bodyTooLarge', `{"data":{"description":"${'x'.repeat(1024 * 1024)}"}}`],
    ] as const,
    async (_what, key, text) => {
      const { status, body } = await create(text)
      expect(body.code).toBe(apiErrors[key].code)
      expect(status).toBe(apiErrors[key].status)
    },
  ),
)

test('a body that is not UTF-8 is rejected instead of repaired', async () => {
  const { status, body } = await world.ask('/probe/deployments', {
    key: owner.key,
    method: 'POST',
    body: Buffer.from([0x22, 0xff, 0x22]),
    headers: { 'content-type': 'application/json' },
  })
  expect(body.code).toBe(apiErrors.malformedJson.code)
  expect(status).toBe(400)
})

test(
  'an unsupported content type is rejected',
  everyCase(
    [
      ['text/plain', 415],
      ['application/x-www-form-urlencoded', 415],
      ['application/', 415],
      ['application/json; charset=utf-8', 400],
    ],
    async (contentType, expected) => {
      const { status, body } = await world.ask('/probe/deployments', {
        key: owner.key,
        method: 'POST',
        body: '{}',
        headers: { 'content-type': contentType },
      })
      expect(status).toBe(expected)
      expect(body.code).toBe((expected === 415 ? apiErrors.mediaTypeUnsupported : apiErrors.requestInvalid).code)
    },
  ),
)

test(
  'an operation without a body accepts empty bodies',
  everyCase(
    [
      ['no body and no content-type', {}],
      ['no body, JSON', { headers: { 'content-type': 'application/json' } }],
      ['an empty body, a form', { body: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
      ['an empty object', { body: '{}', headers: { 'content-type': 'application/json' } }],
    ],
    async (_what, init) => {
      const { body } = await world.ask('/probe/deployments/dep_1/redeploy', { key: owner.key, method: 'POST', ...init })
      expect(body.message).toBe('reached the handler')
    },
  ),
)

test('an operation without a body rejects a body', async () => {
  const { status, body } = await world.send('/probe/deployments/dep_1/redeploy', owner.key, '{"data":{}}')
  expect(status).toBe(400)
  expect(body.details[0].items).toEqual(['$.data: unknown property'])
})

test(
  'an invalid query is rejected with every error',
  everyCase(
    [
      ['?limit=0', ['$.limit: expected a number >= 1']],
      ['?limit=101', ['$.limit: expected a number <= 100']],
      ['?limit=5.5', ['$.limit: expected integer, got string']],
      ['?limit=', ['$.limit: expected integer, got string']],
      [
        '?limit=ten&nope=1',
        [
          '$.nope: unknown property; available: cursor, environmentId, givenId, ids, limit, moduleDefinitionId, projectId, status',
          '$.limit: expected integer, got string',
        ],
      ],
      ['?limit=1&limit=2', ['$.limit: expected integer, got array']],
      ['?projectId=a&projectId=b', ['$.projectId: expected string, got array']],
      ['?projectId=', ['$.projectId: expected at least 1 characters']],
      ['?projectId=%00', ['$.projectId: expected text without NUL characters or lone surrogates']],
      [
        '?__proto__=1',
        expect.arrayContaining([
          '$.__proto__: unknown property; available: cursor, environmentId, givenId, ids, limit, moduleDefinitionId, projectId, status',
        ]),
      ],
      [`?${'ids=a&'.repeat(51)}`, ['$.ids: expected at most 50 items']],
    ],
    async (query, faults) => {
      const { status, body } = await world.ask(`/module-instances${query}`, { key: owner.key })
      expect(status).toBe(400)
      expect(body.code).toBe(apiErrors.requestInvalid.code)
      expect(body.details).toEqual([{ title: 'Query', render: 'list', items: faults }])
    },
  ),
)

test(
  'a valid query is accepted',
  everyCase(['?limit=100', '?ids=a', `?${'ids=a&'.repeat(50)}`, '?givenId=a%20b'], async (query) => {
    expect((await world.ask(`/module-instances${query}`, { key: owner.key })).status).toBe(200)
  }),
)

test('errors in path, query and body are reported together', async () => {
  const { body } = await world.send(`/probe/deployments/${'x'.repeat(101)}/redeploy?a=1`, owner.key, '{"b":2}')
  expect(body.details.map(({ title }: { title: string }) => title)).toEqual(['Path', 'Query', 'Body'])
})

test(
  'an unknown route or method is rejected with its own error',
  everyCase(
    [
      ['GET', '/nope', 'routeNotFound'],
      ['POST', '/nope', 'routeNotFound'],
      ['GET', '/module-instances/mi_1/', 'routeNotFound'],
      ['GET', '/module-instances/', 'requestInvalid'],
      ['DELETE', '/module-instances', 'methodNotAllowed'],
      ['PUT', '/module-instances/mi_1', 'methodNotAllowed'],
      ['OPTIONS', '/probe/deployments/dep_1/redeploy', 'methodNotAllowed'],
      ['GET', '/module-instances/%zz', 'requestUnreadable'],
      ['GET', '/module-instances/%00', 'requestInvalid'],
      ['GET', `/module-instances/${'x'.repeat(9000)}`, 'requestInvalid'],
    ] as const,
    async (method, path, key) => {
      const { status, body, headers } = await world.ask(path, {
        method,
        key: owner.key,
        ...(method === 'POST' && { body: 'not json', headers: { 'content-type': 'text/plain' } }),
      })
      expect(body.code).toBe(apiErrors[key].code)
      expect(status).toBe(apiErrors[key].status)
      expect(body.requestId).toBe(headers.get('x-request-id'))
    },
  ),
)

test('the error for a wrong method lists the allowed methods', async () => {
  const { headers } = await world.ask('/module-instances/mi_1', { method: 'PUT', key: owner.key })
  expect(headers.get('allow')).toBe('GET, HEAD, PATCH, DELETE')
})

test('a plain request id from the client is used, any other is replaced', async () => {
  const idFor = async (given: string) =>
    (await world.ask('/nope', { headers: { 'x-request-id': given } })).headers.get('x-request-id')
  expect(await idFor('trace:1.a-B_2')).toBe('trace:1.a-B_2')
  expect(await idFor('{"a":1}')).toMatch(/^req_/)
  expect(await idFor('x'.repeat(129))).toMatch(/^req_/)
})

test('an unexpected error is a generic 500, with the request id in body, header and log', async () => {
  const { status, body, headers } = await world.send('/probe/deployments/dep_1/continue', owner.key, '{"data":{}}')
  expect(status).toBe(500)
  expect(body).toEqual({
    action: { label: 'What to do', url: expect.stringMatching(/\/docs\/guide\/errors\.html#sluiceserverinternal$/) },
    code: apiErrors.internal.code,
    message: expect.not.stringContaining('the handler broke'),
    requestId: headers.get('x-request-id'),
  })
  expect(world.logged.find((line) => line.includes(body.requestId))).toContain('the handler broke')
})

test('a superadmin sees the details of a 500', async () => {
  const { body } = await world.send('/probe/deployments/dep_1/continue', superadmin.key, '{"data":{}}')
  expect(body).toMatchObject({ isInternal: true, metadata: { message: 'the handler broke' } })
})

test('an error that its route does not declare is a 500', async () => {
  const { status, body } = await world.send('/probe/deployments/dep_1/cancel', owner.key, '')
  expect(status).toBe(500)
  expect(world.logged.find((line) => line.includes(body.requestId))).toContain('queueFull, which it does not declare')
})

test(
  'a malformed HTTP request is rejected with the standard error body',
  everyCase(
    [
      ['GARBAGE\r\n\r\n', '400', 'requestUnreadable'],
      [`GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, '431', 'headersTooLarge'],
    ] as const,
    async (text, status, key) => {
      const { port, hostname } = new URL(world.url)
      const socket = connect({ port: Number(port), host: hostname })
      const chunks: Buffer[] = []
      socket.on('data', (chunk) => chunks.push(chunk)).write(text)
      await once(socket, 'end')
      const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n')
      expect(head).toContain(`HTTP/1.1 ${status} `)
      expect(JSON.parse(body)).toMatchObject({ code: apiErrors[key].code, requestId: expect.stringMatching(/^req_/) })
    },
  ),
)

test('plugins have minutes to load on a busy machine, not the default 10 s of Fastify', () => {
  expect(pluginTimeoutMs).toBeGreaterThanOrEqual(60_000)
})

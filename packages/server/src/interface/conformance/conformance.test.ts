import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { type FakeGitHostA, startFakeGitHostA } from '../../git/adapter/fakes/githosta.fixture.ts'
import { type FakeGitHostB, startFakeGitHostB } from '../../git/adapter/fakes/githostb.fixture.ts'
import { settingsOfFakes } from '../../git/adapter/fakes/settings.fixture.ts'
import { codeSources } from '../../git/code-sources/tables.ts'
import { githostaInstallations } from '../../git/githosta-installations/tables.ts'
import { pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything, iacAddress, type OneOfEverything } from '../../testing/resources.ts'
import { blueGreen, pausing } from '../../testing/strategies.ts'
import { startWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { type Operation, operations } from './operations.fixture.ts'
import { faultsOf } from './shape.fixture.ts'
import { cloudAccount, dataOf, pipelineVersionDryRun, principal, userFacingError } from './shapes.fixture.ts'

let world: World
let hostA: FakeGitHostA
let hostB: FakeGitHostB
/** Client with one record of everything. */
let everything: OneOfEverything
/** Organization with services in the cloud that can be deployed. */
let shop: TestOrganization
/** Organization with a module whose deployments need no inputs. */
let modest: TestOrganization

beforeAll(async () => {
  ;[hostA, hostB] = await Promise.all([startFakeGitHostA(), startFakeGitHostB()])
  world = await startWorld({ env: { ...settingsOfFakes(hostA, hostB), SLUICE_OUTBOUND_ALLOW: '127.0.0.1' } })
  everything = await createOneOfEverything(world.db)
  shop = await world.organization()
  const image = { id: 'image_ref', type: 'string', default: 'shop/app:1' }
  modest = await world.organization({ deploy: { inputs: [image] } })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await Promise.all([hostA?.close(), hostB?.close()])
})

/** Successful request, and optional parameters for it. */
type Scenario = {
  path: string
  data?: Record<string, unknown>
  optional?: Record<string, unknown[]>
  /** Organization of the request, if it is not the one with one record of everything. */
  in?: TestOrganization
}

const id = (resource: string) => everything.byPath[resource] ?? ''
const oneOf = (resource: string) => async (): Promise<Scenario> => ({ path: `/${resource}/${id(resource)}` })
const listOf =
  (resource: string, query: Record<string, unknown[]> = {}) =>
  async (): Promise<Scenario> => ({
    path: `/${resource}`,
    optional: { limit: [1, 100], ...query },
  })

/** Creates a repository at the first Git host that installation 42 can read, and returns its name. */
function repositoryAtA(isPrivate: boolean): string {
  const name = `acme/${newId('req')}`
  hostA.installations.set(42, { login: 'acme', id: 70, type: 'Organization' })
  const number = hostA.repositories.length + 1
  hostA.repositories.push({ id: number, name, isPrivate, branches: ['main', 'next'], installations: [42] })
  return name
}

/** Preparation of each operation, by number. */
const scenarios: Record<number, () => Promise<Scenario>> = {
  1: async () => {
    const service = await shop.service(pausing(blueGreen, ['PRE_PRODUCTION_TRAFFIC_SHIFT']))
    const { id } = await shop.deploy(service.moduleInstanceId)
    const hookId = await shop.untilPaused(id)
    return { path: `/deployments/${id}/continue`, data: {}, optional: { hookId: [hookId] }, in: shop }
  },
  2: async () => ({ path: '/auth/whoami' }),
  3: listOf('default-values', { parentType: ['organization', 'project', 'environment'] }),
  4: oneOf('default-values'),
  5: async () => ({
    path: `/default-values/${id('default-values')}`,
    data: {},
    optional: { value: [null, false, 0, '', [], {}, { deep: [1, 'a'] }] },
  }),
  6: oneOf('default-values'),
  7: async () => {
    const { moduleInstanceId } = await modest.service()
    const inputs = [{ image_ref: 'shop/app:9' }, {}]
    return { path: '/deployments', data: { description: 'x', moduleInstanceId }, optional: { inputs }, in: modest }
  },
  8: async () => {
    const { moduleInstanceId } = await shop.service()
    const { id } = await shop.deploy(moduleInstanceId)
    await shop.untilStatus(id, 'SUCCESS')
    return { path: `/deployments/${id}/redeploy`, in: shop }
  },
  9: listOf('module-instances', { ids: ['a', Array.from({ length: 50 }, (_, index) => `mi_${index}`)] }),
  10: async () => ({
    path: `/module-instances/${id('module-instances')}`,
    data: {},
    optional: {
      autoapprove: [true, false],
      description: ['Text'],
      environmentId: [id('environments')],
      givenId: ['renamed'],
      input: [{}],
      moduleDefinitionId: [id('module-definitions')],
      moduleVersionId: [id('module-versions')],
      name: ['Renamed'],
      runStack: [false],
    },
  }),
  11: listOf('pipelines'),
  12: async () => ({
    path: `/pipelines/${id('pipelines')}`,
    data: {},
    optional: { description: ['Text'], givenId: ['renamed'], name: ['Renamed'], projectId: [id('projects')] },
  }),
  13: async () => ({
    path: '/pipeline-versions',
    data: { pipelineId: id('pipelines'), config: { steps: [{ id: 'ask', type: 'approval' }] } },
    optional: { dryRun: [false] },
  }),
  14: async () => {
    const repoName = repositoryAtA(true)
    const claim = { githostaInstallationId: '42', accountName: 'acme', claimedById: id('memberships') }
    const { organizationId } = everything
    const row = { id: newId('gha'), organizationId, ...claim }
    await world.db.insert(githostaInstallations).values(row).onConflictDoNothing()
    const repoUrl = `https://${new URL(hostA.url).host}/${repoName}`
    return { path: '/code-sources', data: { type: 'GITHOSTA', repoUrl, githostaInstallationId: '42' } }
  },
  15: async () => {
    const repoName = repositoryAtA(false)
    const source = { type: 'GITHOSTA', visibility: 'PUBLIC', auth: { kind: 'none' } } as const
    const repoUrl = `${hostA.url}/${repoName}`
    const codeSourceId = newId('cs')
    const { organizationId } = everything
    await world.db.insert(codeSources).values({ id: codeSourceId, organizationId, ...source, repoUrl, repoName })
    return { path: `/code-source/${codeSourceId}/branches` }
  },
  16: listOf('cloud-accounts'),
  17: async () => ({ path: '/cloud-accounts', data: { givenId: `a-${crypto.randomUUID()}`, name: 'Production' } }),
  18: listOf('module-definitions', { status: ['DRAFT', 'ACTIVE'] }),
  19: oneOf('module-definitions'),
  20: oneOf('execution-environments'),
  21: oneOf('iac-resources'),
  22: async () => ({
    path: `/iac-resources/${encodeURIComponent(iacAddress)}/change-summary?pipelineId=${id('pipelines')}`,
    optional: { startRunId: [id('pipeline-runs')], endRunId: [id('pipeline-runs')] },
  }),
  23: async () => {
    const known = eq(pipelineStepExecutions.id, id('pipeline-step-executions'))
    const [row] = await world.db.select().from(pipelineStepExecutions).where(known)
    if (!row) throw new Error('there is no step execution to copy')
    const step = newId('step')
    const waiting = { ...row, id: step, stepId: step, status: 'PENDING_APPROVAL' } as const
    await world.db.insert(pipelineStepExecutions).values(waiting)
    return { path: `/pipeline-step-executions/${step}/approve` }
  },
}

/** Redirect at the end of a sign-in at the host, which `githostb-connections/routes.test.ts` covers. */
const elsewhere = [24]

const ownerOf = async ({ in: organization }: Scenario) =>
  organization?.client ?? new Client(world.url, await addMember(world.db, everything.organizationId, 'OWNER'))

const viewerOf = async () => new Client(world.url, await addMember(world.db, everything.organizationId, 'VIEWER'))

const scenarioOf = ({ number }: Operation): Promise<Scenario> => {
  const prepare = scenarios[number]
  if (!prepare) throw new Error(`operation ${number} has no scenario`)
  return prepare()
}

/**
 * Sends a request and checks the response against the specification: success with the expected body, or an error body.
 */
async function expectAnswer(
  client: Client,
  { method, answer }: Operation,
  path: string,
  data: unknown,
  status: number,
) {
  const { status: seen, body, headers } = await client.ask(method, path, data === undefined ? undefined : { data })
  expect(seen, JSON.stringify(body)).toBe(status)
  if (status >= 400) {
    expect(faultsOf(userFacingError, body)).toEqual([])
    expect((body as { code: string }).code).toMatch(/^\w+:\w+:\w+$/)
    return
  }
  if (answer === undefined) return expect(body).toBe(undefined)
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  expect(faultsOf(answer, body)).toEqual([])
}

/** Returns the request with each optional parameter added, in the body or the query. */
const withOptional = ({ path, data, optional = {} }: Scenario): Pick<Scenario, 'path' | 'data'>[] =>
  Object.entries(optional).flatMap(([name, values]) =>
    values.map((value) => {
      if (data) return { path, data: { ...data, [name]: value } }
      const query = [value].flat().map((one) => `${name}=${encodeURIComponent(String(one))}`)
      return { path: `${path}${path.includes('?') ? '&' : '?'}${query.join('&')}` }
    }),
  )

const unauthenticated = (path: string) =>
  path.replace('{id}', 'nobody').replace('{address}', 'nobody') +
  (path.includes('{address}') ? '?pipelineId=nobody' : '')

const malformedBodies = ['', '{}', '[]', 'null', '{"data":null}', '{"data":[]}', '{"data":{"nonsense":1}}', '{"data"']

test('the table has all 24 operations', () => {
  expect(operations.map(({ number }) => number)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1))
})

/** Operations that the tests can call repeatedly, until the last test deletes their records. */
const repeatable = operations.filter(({ number, method }) => method !== 'DELETE' && !elsewhere.includes(number))
const withError = (status: number) => operations.filter(({ errors }) => errors.includes(status))
const withBody = operations.filter(({ body }) => body !== undefined)
const requiredFields = ({ body }: Operation) => Object.keys(body?.required ?? {})

const everyOperation = (cases: Operation[], check: (operation: Operation) => Promise<void>) =>
  everyCase(cases, check, { name: ({ number, method, path }) => `${number}: ${method} ${path}` })

describe('every operation', () => {
  test(
    'succeeds with exactly the fields of the specification',
    everyOperation(repeatable, async (operation) => {
      const scenario = await scenarioOf(operation)
      await expectAnswer(await ownerOf(scenario), operation, scenario.path, scenario.data, operation.status)
    }),
  )

  test(
    'accepts every optional parameter',
    everyOperation(repeatable, async (operation) => {
      const scenario = await scenarioOf(operation)
      const client = await ownerOf(scenario)
      for (const { path, data } of withOptional(scenario)) {
        await expectAnswer(client, operation, path, data, operation.status)
      }
    }),
  )

  test(
    'rejects a caller without credentials',
    everyOperation(withError(401), async (operation) => {
      await expectAnswer(
        new Client(world.url, ''),
        operation,
        unauthenticated(operation.path),
        operation.body && {},
        401,
      )
    }),
  )

  test(
    'rejects a viewer if it changes something',
    everyOperation(withError(403), async (operation) => {
      await expectAnswer(await viewerOf(), operation, unauthenticated(operation.path), operation.body && {}, 403)
    }),
  )

  test(
    'returns 404 for a record that does not exist',
    everyOperation(
      withError(404).filter(({ path }) => path.includes('{')),
      async (operation) => {
        const { number, path, body } = operation
        const { data } = body && number !== 1 ? await scenarioOf(operation) : { data: body && {} }
        await expectAnswer(await ownerOf({ path }), operation, unauthenticated(path), data, 404)
      },
    ),
  )

  test(
    'rejects a body without its wrapper, with unknown fields, or that is no JSON object',
    everyOperation(withBody, async ({ method, path }) => {
      const client = await ownerOf({ path })
      for (const json of malformedBodies) {
        const { status, body: answer } = await client.send(method, unauthenticated(path), { json })
        expect(status, json).toBe(400)
        expect(faultsOf(userFacingError, answer)).toEqual([])
      }
    }),
  )

  test(
    'rejects every field of a wrong type, and read-only fields',
    everyOperation(withBody, async (operation) => {
      const { number, path, body } = operation
      const scenario = number === 1 ? { path: unauthenticated(path), data: {} } : await scenarioOf(operation)
      const client = await ownerOf(scenario)
      for (const [name, wrong] of Object.entries({ ...body?.required, ...body?.optional, id: 'x', createdAt: 'x' })) {
        await expectAnswer(client, operation, scenario.path, { ...scenario.data, [name]: wrong }, 400)
      }
    }),
  )

  test(
    'rejects a body without a required field',
    everyOperation(
      operations.filter((operation) => requiredFields(operation).length > 0),
      async (operation) => {
        const scenario = await scenarioOf(operation)
        const client = await ownerOf(scenario)
        for (const name of requiredFields(operation)) {
          const { [name]: _, ...rest } = scenario.data ?? {}
          await expectAnswer(client, operation, scenario.path, rest, 400)
        }
      },
    ),
  )

  test(
    'rejects unknown query parameters',
    everyOperation(
      withError(400).filter(({ method }) => method === 'GET'),
      async (operation) => {
        const path = `${unauthenticated(operation.path).split('?')[0]}?nonsense=1`
        await expectAnswer(await ownerOf({ path }), operation, path, undefined, 400)
      },
    ),
  )
})

describe('what the specification says besides', () => {
  const owner = () => ownerOf({ path: '' })

  test('1: a deployment that is not paused is 422', async () => {
    const path = `/deployments/${id('deployments')}/continue`
    const answer = await (await owner()).ask('POST', path, { data: {} })
    expect(answer.status).toBe(422)
    expect(faultsOf(userFacingError, answer.body)).toEqual([])
  })

  test('2: a service account is a principal of another type', async () => {
    const client = await owner()
    const { id: serviceAccountId } = await client.done<{ id: string }>('POST', '/service-accounts', {
      data: { name: 'robot', role: 'VIEWER' },
    })
    const { token } = await client.done<{ token: string }>('POST', '/api-keys', {
      data: { name: 'robot', serviceAccountId },
    })
    const { body } = await new Client(world.url, token).ask('GET', '/auth/whoami')
    expect(faultsOf(dataOf(principal), body)).toEqual([])
    expect((body as { data: { principalType: string } }).data.principalType).not.toBe('MEMBERSHIP')
  })

  test('3 and 18: a filter outside of its allowed values is 400', async () => {
    const client = await owner()
    for (const path of ['/default-values?parentType=galaxy', '/module-definitions?status=BROKEN']) {
      expect((await client.ask('GET', path)).status).toBe(400)
    }
  })

  test('8: no body is needed, nor taken', async () => {
    const [client, path] = [await owner(), '/deployments/nobody/redeploy']
    expect((await client.ask('POST', path, { data: {} })).status).toBe(400)
    expect((await client.ask('POST', path)).status).toBe(404)
  })

  test('23: no body is needed, and an empty one is accepted', async () => {
    const [client, path] = [await owner(), '/pipeline-step-executions/nobody/approve']
    for (const body of [undefined, {}, { data: {} }]) expect((await client.ask('POST', path, body)).status).toBe(404)
    expect((await client.ask('POST', path, { data: { any: 1 } })).status).toBe(400)
  })

  test('9: one parameter takes at most 50 items', async () => {
    const ids = Array.from({ length: 51 }, (_, index) => `ids=mi_${index}`).join('&')
    expect((await (await owner()).ask('GET', `/module-instances?${ids}`)).status).toBe(400)
  })

  test('13: a dry run answers 200 with a patch, and creates nothing', async () => {
    const client = await owner()
    const count = async () => {
      const { body } = await client.ask('GET', `/pipeline-versions?pipelineId=${id('pipelines')}`)
      return (body as { meta: { totalCount: number } }).meta.totalCount
    }
    const before = await count()
    const config = { steps: [{ id: 'ask', type: 'approval' }] }
    const data = { pipelineId: id('pipelines'), config, dryRun: true }
    const { status, body } = await client.ask('POST', '/pipeline-versions', { data })
    expect(status).toBe(200)
    expect(faultsOf(dataOf(pipelineVersionDryRun), body)).toEqual([])
    expect(await count()).toBe(before)
  })

  test('17: a new account waits for its connection', async () => {
    const data = { givenId: 'fresh', name: 'Fresh' }
    const { body } = await (await owner()).ask('POST', '/cloud-accounts', { data })
    expect(faultsOf(dataOf(cloudAccount), body)).toEqual([])
    expect(body).toMatchObject({ data: { ...data, status: 'AWAITING_CONNECTION' } })
  })

  test('22: the pipeline is required', async () => {
    const path = `/iac-resources/${encodeURIComponent(iacAddress)}/change-summary`
    expect((await (await owner()).ask('GET', path)).status).toBe(400)
  })

  test('23: a step that does not wait for approval is 422', async () => {
    const client = await owner()
    const path = `/pipeline-step-executions/${id('pipeline-step-executions')}/approve`
    await client.ask('POST', path) // regardless of whether it has been waiting
    const { status, body } = await client.ask('POST', path)
    expect(status).toBe(422)
    expect(faultsOf(userFacingError, body)).toEqual([])
  })

  test('24: it is called without the header, and a failure has the error body', async () => {
    for (const query of ['', '?code=a', '?code=a&state=forged']) {
      const { status, body } = await new Client(world.url, '').ask('GET', `/git-host-b/callback${query}`)
      expect(status).toBe(400)
      expect(faultsOf(userFacingError, body)).toEqual([])
    }
  })

  // The last test of the file, because the tests before need what it deletes.
  test(
    'a deleted record is gone',
    everyOperation(
      operations.filter(({ method }) => method === 'DELETE'),
      async (operation) => {
        const scenario = await scenarioOf(operation)
        const client = await ownerOf(scenario)
        await expectAnswer(client, operation, scenario.path, undefined, operation.status)
        await expectAnswer(client, operation, scenario.path, undefined, 404)
      },
    ),
  )
})

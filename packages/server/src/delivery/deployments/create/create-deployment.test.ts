import type { Deployment, UserFacingError } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { cloudAccounts } from '../../../cloud/cloud-accounts/tables.ts'
import { moduleVersions } from '../../../modules/module-definitions/tables.ts'
import { eq, sql } from '../../../platform/db/drizzle.ts'
import { Client } from '../../../testing/client.ts'
import { blueGreen, pausing } from '../../../testing/strategies.ts'
import { sharedWorld, type TestOrganization, type World } from '../../../testing/world.ts'
import { deployments } from '../store/tables.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

/** Returns the lines of all sections in the details of an error. */
const linesOf = (body: unknown): string[] =>
  ((body as UserFacingError).details ?? []).flatMap(({ items = [] }) => items)
const pathsOf = (body: unknown): string[] => linesOf(body).map((line) => line.split(/:? /)[0] ?? '')

/** Creates an organization with a service and a deployment that is paused before anything starts. */
async function paused(wishes: Parameters<World['organization']>[0] = {}) {
  const org = await world.organization(wishes)
  const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))
  const deployment = await org.deploy(moduleInstanceId)
  await org.untilPaused(deployment.id)
  return { org, moduleInstanceId, id: deployment.id }
}

const valid = (moduleInstanceId: string) => ({
  moduleInstanceId,
  description: 'Release',
  inputs: { image_ref: 'shop/app:2' },
})
const placeOfService = {
  ecs_cluster_arn: '<< module.input.cluster_arn >>',
  ecs_service_arn: '<< module.input.service_arn >>',
}
const create = (org: TestOrganization, data: unknown) => org.client.ask('POST', '/deployments', { data })

describe('POST /deployments', () => {
  test('returns 201 with the queued deployment and its description and inputs', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const description = 'ü € \n "quoted" 日本'

    const answer = await create(org, { ...valid(moduleInstanceId), description })

    expect(answer).toMatchObject({ status: 201, body: { data: { status: 'PENDING', description, moduleInstanceId } } })
  })

  test('accepts an empty description and no inputs if the module requires none', async () => {
    const org = await world.organization({
      deploy: { inputs: [{ id: 'image_ref', type: 'string', default: 'shop/app:2' }] },
    })
    const { moduleInstanceId } = await org.service()

    const { status, body } = await create(org, { moduleInstanceId, description: '' })

    expect(status).toBe(201)
    await org.untilStatus((body as { data: Deployment }).data.id, 'SUCCESS')
  })

  test(
    'returns 400 with the path of every error',
    everyCase(
      [
        [
          'no wrapper',
          { moduleInstanceId: 'mi_1', description: '' },
          ['$.data', '$.description', '$.moduleInstanceId'],
        ],
        ['nothing in the wrapper', { data: {} }, ['$.data.description', '$.data.moduleInstanceId']],
        [
          'wrong types',
          { data: { description: 1, moduleInstanceId: null, inputs: [] } },
          ['$.data.description', '$.data.inputs', '$.data.moduleInstanceId'],
        ],
        [
          'a property too many',
          { data: { description: '', moduleInstanceId: 'mi_1', status: 'SUCCESS' } },
          ['$.data.status'],
        ],
        ['an empty id', { data: { description: '', moduleInstanceId: '' } }, ['$.data.moduleInstanceId']],
      ],
      async (_what, body, paths) => {
        const org = await world.organization({ delivery: false })

        const answer = await org.client.ask('POST', '/deployments', body)

        expect(answer).toMatchObject({ status: 400, body: { code: 'Sluice:Request:INVALID' } })
        expect(pathsOf(answer.body).toSorted()).toEqual(paths)
      },
    ),
  )

  test('returns 400 for a body that is not JSON, and 415 for a missing content type', async () => {
    const org = await world.organization({ delivery: false })

    expect(await org.client.send('POST', '/deployments', { json: '{"data":' })).toMatchObject({
      status: 400,
      body: { code: 'Sluice:Request:MALFORMED_JSON' },
    })
    const headers = { 'content-type': 'text/plain' }
    expect(await org.client.send('POST', '/deployments', { json: '{"data":{}}', headers })).toMatchObject({
      status: 415,
      body: { code: 'Sluice:Request:MEDIA_TYPE_UNSUPPORTED' },
    })
  })

  test('returns 400 for inputs that the module does not accept, each with its name', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const refused = { status: 400, body: { code: 'Sluice:Deployments:INPUT_INVALID' } }
    const withInputs = (inputs?: unknown) =>
      create(org, { moduleInstanceId, description: '', ...(inputs ? { inputs } : {}) })

    const wrong = await withInputs({ image_ref: 7, image: 'x' })
    expect(wrong).toMatchObject(refused)
    expect(linesOf(wrong.body)).toEqual([
      'inputs.image is not an input of this module; it takes image_ref',
      'inputs.image_ref must be a string',
    ])
    for (const missing of [await withInputs(), await withInputs({}), await withInputs({ image_ref: null })]) {
      expect(missing).toMatchObject(refused)
      expect(linesOf(missing.body)).toEqual(['inputs.image_ref is required'])
    }
    expect((await org.client.ask('GET', '/deployments')).body).toMatchObject({ meta: { totalCount: 0 } })
  })

  test('returns 404 for an unknown instance and for an instance of another organization', async () => {
    const org = await world.organization()
    const other = await world.organization()
    const { moduleInstanceId } = await other.service()
    const notFound = { status: 404, body: { code: 'Sluice:ModuleInstances:NOT_FOUND' } }

    expect(await create(org, valid('mi_nowhere'))).toMatchObject(notFound)
    expect(await create(org, valid(moduleInstanceId))).toMatchObject(notFound)
  })

  test('returns 422 for a module without a deploy block', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    await world.db.update(moduleVersions).set({ config: {} }).where(eq(moduleVersions.organizationId, org.id))

    expect(await create(org, { moduleInstanceId, description: '' })).toMatchObject({
      status: 422,
      body: { code: 'Sluice:Deployments:MODULE_HAS_NO_DEPLOY' },
    })
  })

  test('returns 422 for a service in a cloud account that is not connected', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    await world.db
      .update(cloudAccounts)
      .set({ status: 'AWAITING_CONNECTION' })
      .where(eq(cloudAccounts.organizationId, org.id))

    expect(await create(org, valid(moduleInstanceId))).toMatchObject({
      status: 422,
      body: {
        code: 'Sluice:Deployments:CLOUD_ACCOUNT_NOT_CONNECTED',
        message: expect.stringContaining(org.accountNumber),
      },
    })
  })

  test('returns 422 for a service in the cloud account of another organization', async () => {
    const [org, other] = [await world.organization(), await world.organization()]
    const { serviceArn: service_arn } = await other.service()
    const { moduleInstanceId } = await org.service(null, { change: { service_arn } })

    expect(await create(org, valid(moduleInstanceId))).toMatchObject({
      status: 422,
      body: { code: 'Sluice:Deployments:CLOUD_ACCOUNT_NOT_CONNECTED' },
    })
    expect(await other.calls('UpdateService')).toEqual([])
  })

  const shift = { stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT' }
  test(
    'returns 422 with the path of every error',
    everyCase(
      [
        [
          'a pause in a rolling release',
          { strategy: { type: 'rolling', pause_stages: [shift] } },
          ['deploy.strategy.pause_stages must be empty: a rolling release has no stage at which it can pause'],
        ],
        [
          'a pause where traffic moves',
          { strategy: { ...blueGreen, pause_stages: [shift, { stage: 'PRODUCTION_TRAFFIC_SHIFT' }] } },
          [
            'deploy.strategy.pause_stages[1].stage: expected one of RECONCILE_SERVICE, PRE_SCALE_UP, POST_SCALE_UP, POST_TEST_TRAFFIC_SHIFT, PRE_PRODUCTION_TRAFFIC_SHIFT, POST_PRODUCTION_TRAFFIC_SHIFT',
          ],
        ],
        [
          'a pause of no time',
          { strategy: { ...blueGreen, pause_stages: [{ ...shift, timeout_in_minutes: 0 }] } },
          ['deploy.strategy.pause_stages[0].timeout_in_minutes: expected a number >= 1'],
        ],
        [
          'a strategy that there is not, and other faults with it',
          { strategy: { type: 'blue', bake: 1 }, timeout: 5, pre_deploy: { command: 'migrate', timeout: 0 } },
          [
            'deploy.pre_deploy.command: unknown property; available: capacity_provider_strategy, container_overrides, cpu, enable_execute_command, ephemeral_storage, execution_role_arn, memory, network_configuration, task_role_arn, timeout',
            'deploy.pre_deploy.timeout: expected a number >= 1',
            'deploy.strategy.bake: unknown property; available: bake_time_in_minutes, canary, linear, pause_stages, type',
            'deploy.strategy.type: expected one of rolling, blue_green, linear, canary',
            'deploy.timeout: expected a number >= 60',
          ],
        ],
        [
          'traffic to be shifted without the pieces for it',
          {
            strategy: blueGreen,
            infrastructure: { ...placeOfService, ecs_target_group_arn: 'arn', ecs_test_listener_rule_arn: null },
          },
          [
            'deploy.infrastructure.ecs_alternate_target_group_arn is required to shift traffic',
            'deploy.infrastructure.ecs_infrastructure_role_arn is required to shift traffic',
            'deploy.infrastructure.ecs_production_listener_rule_arn is required to shift traffic',
          ],
        ],
      ],
      async (_what, deploy, lines) => {
        const org = await world.organization({ deploy })
        const { moduleInstanceId } = await org.service()

        const answer = await create(org, valid(moduleInstanceId))

        expect(answer).toMatchObject({ status: 422, body: { code: 'Sluice:Deployments:RELEASE_INVALID' } })
        expect(linesOf(answer.body).toSorted()).toEqual(lines)
        expect((await org.client.ask('GET', '/deployments')).body).toMatchObject({ meta: { totalCount: 0 } })
      },
    ),
  )

  test('returns 422 for an unresolved reference, with its path', async () => {
    const org = await world.organization({
      deploy: { infrastructure: { ...placeOfService, ecs_cluster_arn: '<< deploy.input.cluster >>' } },
    })
    const { moduleInstanceId } = await org.service()

    const answer = await create(org, valid(moduleInstanceId))

    expect(answer).toMatchObject({ status: 422, body: { code: 'Sluice:Deployments:RELEASE_INVALID' } })
    expect(pathsOf(answer.body)).toEqual(['deploy.infrastructure.ecs_cluster_arn'])
  })
})

describe('permissions', () => {
  const operations = (id: string, moduleInstanceId: string) =>
    [
      ['POST', '/deployments', { data: valid(moduleInstanceId) }],
      ['GET', '/deployments', undefined],
      ['GET', `/deployments/${id}`, undefined],
      ['POST', `/deployments/${id}/continue`, { data: {} }],
      ['POST', `/deployments/${id}/redeploy`, undefined],
      ['POST', `/deployments/${id}/cancel`, undefined],
    ] as const

  test('a request without a valid key returns 401', async () => {
    const { id, moduleInstanceId } = await paused()

    for (const token of ['', 'slc_of_nobody']) {
      for (const [method, path, body] of operations(id, moduleInstanceId)) {
        const answer = await new Client(world.url, token).ask(method, path, body)
        expect(answer).toMatchObject({ status: 401, body: { code: 'Sluice:Auth:UNAUTHENTICATED' } })
        expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      }
    }
  })

  test('a viewer can read but change nothing: 403', async () => {
    const { org, id, moduleInstanceId } = await paused()
    const viewer = await org.member('VIEWER')
    const before = await org.get(id)

    for (const [method, path, body] of operations(id, moduleInstanceId)) {
      const { status } = await viewer.ask(method, path, body)
      expect([method, path, status]).toEqual([method, path, method === 'GET' ? 200 : 403])
    }
    expect((await org.get(id)).data).toMatchObject({ events: (before.data as { events: object[] }).events })
    expect((await org.client.ask('GET', '/deployments')).body).toMatchObject({ meta: { totalCount: 1 } })
  })

  test('a developer can do everything, and is named as the actor', async () => {
    const { org, id, moduleInstanceId } = await paused()
    const developer = await org.member('DEVELOPER')

    const { data } = await developer.done<Deployment>('POST', '/deployments', { data: valid(moduleInstanceId) })
    expect(data).toMatchObject({ triggeredBy: expect.stringMatching(/^developer-/) })
    expect((await developer.ask('POST', `/deployments/${id}/continue`, { data: {} })).status).toBe(200)
    await org.untilStatus(id, 'SUCCESS')
    const again = await developer.done<Deployment>('POST', `/deployments/${id}/redeploy`)
    expect((await developer.ask('POST', `/deployments/${again.id}/cancel`)).status).toBe(200)
  })

  test('a member of another organization gets the same 404 as for an unknown deployment', async () => {
    const { id } = await paused()
    const stranger = await world.organization()

    for (const unknown of [id, 'dep_nowhere']) {
      for (const [method, path, body] of operations(unknown, '').slice(2)) {
        const answer = await stranger.client.ask(method, path, body)
        expect([path, answer.status]).toEqual([path, 404])
        expect(answer.body).toMatchObject({
          code: 'Sluice:Deployments:NOT_FOUND',
          message: `There is no deployment ${unknown} in this organization.`,
        })
      }
    }
    expect((await stranger.client.ask('GET', '/deployments')).body).toMatchObject({ data: [], meta: { totalCount: 0 } })
  })
})

describe('actions', () => {
  test(
    'an invalid continue request returns 400',
    everyCase(
      [
        ['no body', undefined, ['$']],
        ['no wrapper', {}, ['$.data']],
        ['an unknown property', { data: { hook: 'x' } }, ['$.data.hook']],
        ['a hook that is no text', { data: { hookId: 5 } }, ['$.data.hookId']],
        ['an empty hook', { data: { hookId: '' } }, ['$.data.hookId']],
      ],
      async (_what, body, paths) => {
        const org = await world.organization({ delivery: false })

        const answer = await org.client.ask('POST', '/deployments/dep_any/continue', body)

        expect(answer).toMatchObject({ status: 400, body: { code: 'Sluice:Request:INVALID' } })
        expect(pathsOf(answer.body)).toEqual(paths)
      },
    ),
  )

  test('redeploy and cancel accept an empty body, and return 400 for unknown fields', async () => {
    const { org, id } = await paused()

    const unknown = [
      ['redeploy', {}, '$.data'],
      ['cancel', { reason: 'no' }, '$.data.reason'],
    ] as const
    for (const [action, data, place] of unknown) {
      const answer = await org.client.ask('POST', `/deployments/${id}/${action}`, { data })
      expect(answer).toMatchObject({ status: 400, body: { code: 'Sluice:Request:INVALID' } })
      expect(pathsOf(answer.body)).toEqual([place])
    }
    expect((await org.client.ask('POST', `/deployments/${id}/cancel`, {})).status).toBe(200)
  })

  test.each([
    ['PATCH', '/deployments/dep_any', 'GET, HEAD'],
    ['DELETE', '/deployments', 'GET, HEAD, POST'],
    ['GET', '/deployments/dep_any/continue', 'POST'],
  ])('%s %s returns 405 with the allowed methods', async (method, path, allowed) => {
    const org = await world.organization({ delivery: false })

    const { status, headers } = await org.client.ask(method, path)

    expect(status).toBe(405)
    expect(headers.get('allow')?.split(', ').toSorted().join(', ')).toBe(allowed)
  })
})

describe('GET /deployments', () => {
  type Page = { data: Deployment[]; meta: { limit: number; nextCursor: string; totalCount: number } }
  const list = async (org: TestOrganization, query: string): Promise<Page> =>
    (await org.client.ask('GET', `/deployments${query}`)).body as Page

  /** Creates five deployments of one instance and one of another, most of them cancelled while queued. */
  async function history() {
    const org = await world.organization({ deploy: { concurrency: { queue_size: 10 } } })
    const service = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))
    const other = await org.service()
    const first = await org.deploy(service.moduleInstanceId)
    await org.untilPaused(first.id)
    const waiting: Deployment[] = []
    for (let n = 0; n < 4; n++) waiting.push(await org.deploy(service.moduleInstanceId))
    for (const { id } of waiting.slice(0, 3)) await org.cancel(id)
    const elsewhere = await org.deploy(other.moduleInstanceId)
    await org.untilStatus(elsewhere.id, 'SUCCESS')
    return { org, first, waiting, elsewhere, service, other }
  }

  test('pages through all deployments, newest first, each of them once', async () => {
    const { org, first, waiting, elsewhere } = await history()
    const newestFirst = [elsewhere, ...waiting.toReversed(), first].map(({ id }) => id)

    const all = await list(org, '')
    expect(all.data.map(({ id }) => id)).toEqual(newestFirst)
    expect(all.meta).toEqual({ limit: 20, nextCursor: '', totalCount: 6 })

    const seen: string[] = []
    let cursor = ''
    do {
      const page = await list(org, `?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
      expect(page.meta).toMatchObject({ limit: 2, totalCount: 6 })
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.meta.nextCursor
    } while (cursor !== '' && seen.length < 10)
    expect(seen).toEqual(newestFirst)
  })

  test('returns the deployments that match every filter', async () => {
    const { org, first, waiting, elsewhere, service, other } = await history()
    const idsOf = async (query: string) => (await list(org, query)).data.map(({ id }) => id)
    const { projectId, environmentId } = first

    expect(await idsOf(`?moduleInstanceId=${other.moduleInstanceId}`)).toEqual([elsewhere.id])
    expect(await idsOf('?status=CANCELLED')).toHaveLength(3)
    expect(await idsOf('?status=PENDING&status=IN_PROGRESS')).toEqual([waiting[3]?.id, first.id])
    expect(await idsOf(`?status=IN_PROGRESS&moduleInstanceId=${service.moduleInstanceId}`)).toEqual([first.id])
    expect(await idsOf(`?projectId=${projectId}&environmentId=${environmentId}`)).toHaveLength(6)
    expect(await idsOf('?environmentId=env_nowhere')).toEqual([])
    expect(await idsOf('?pipelineRunId=run_nowhere')).toEqual([])
  })

  test(
    'an invalid query returns 400',
    everyCase(
      [
        ['?limit=0', 'Sluice:Request:INVALID', ['$.limit']],
        ['?limit=101', 'Sluice:Request:INVALID', ['$.limit']],
        ['?limit=many', 'Sluice:Request:INVALID', ['$.limit']],
        ['?status=DONE', 'Sluice:Request:INVALID', ['$.status[0]']],
        ['?state=PENDING&order=asc', 'Sluice:Request:INVALID', ['$.order', '$.state']],
        ['?cursor=garbage', 'Sluice:Request:CURSOR_INVALID', []],
      ],
      async (query, code, paths) => {
        const org = await world.organization({ delivery: false })

        const answer = await org.client.ask('GET', `/deployments${query}`)

        expect(answer).toMatchObject({ status: 400, body: { code } })
        expect(pathsOf(answer.body).toSorted()).toEqual(paths)
      },
    ),
  )

  test('a cursor is valid only for its filters and its caller', async () => {
    const { org } = await history()
    const { meta } = await list(org, '?limit=1')
    const cursor = encodeURIComponent(meta.nextCursor)
    const stranger = await world.organization({ delivery: false })
    const refused = { status: 400, body: { code: 'Sluice:Request:CURSOR_INVALID' } }

    expect(await org.client.ask('GET', `/deployments?cursor=${cursor}&status=CANCELLED`)).toMatchObject(refused)
    expect(await stranger.client.ask('GET', `/deployments?cursor=${cursor}`)).toMatchObject(refused)
  })
})

describe('a finished deployment', () => {
  test('never changes again, regardless of the writer', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const { id } = await org.deploy(moduleInstanceId)
    const done = await org.untilStatus(id, 'SUCCESS')
    const refused = expect.objectContaining({ message: expect.stringContaining('can no longer change') })

    for (const set of [sql`status = 'IN_PROGRESS'`, sql`description = 'Rewritten'`, sql`updated_at = now()`]) {
      const update = world.db.execute(sql`update ${deployments} set ${set} where id = ${id}`)
      await expect(update).rejects.toMatchObject({ cause: refused })
    }
    expect(await org.get(id)).toEqual(done)
  })

  test('is never active together with another one, regardless of the writer', async () => {
    const { org, moduleInstanceId } = await paused()
    const waiting = await org.deploy(moduleInstanceId)

    const update = world.db.execute(sql`update ${deployments} set status = 'IN_PROGRESS' where id = ${waiting.id}`)

    await expect(update).rejects.toMatchObject({
      cause: expect.objectContaining({ message: expect.stringContaining('deployments_one_active') }),
    })
  })
})

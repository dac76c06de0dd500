import { PutMetricAlarmCommand, SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch'
import { DeleteRuleCommand } from '@aws-sdk/client-elastic-load-balancing-v2'
import type { DeploymentCheck } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../testing/client.ts'
import { blueGreen, pausing } from '../../testing/strategies.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const organization = (wishes: Parameters<World['organization']>[0] = {}) =>
  world.organization({ hasNetwork: true, ...wishes })

const request = (moduleInstanceId: string, image = 'shop/app:2') => ({
  data: { moduleInstanceId, description: `Release ${image}`, inputs: { image_ref: image } },
})

const check = (client: Client, moduleInstanceId: string, image?: string) =>
  client.done<DeploymentCheck>('POST', '/deployment-checks', request(moduleInstanceId, image))

const codesOf = ({ findings }: DeploymentCheck) => findings.map(({ severity, code }) => `${severity} ${code}`)
const uncheckedOf = ({ unchecked }: DeploymentCheck) => unchecked.map(({ code }) => code)

async function pausedRelease() {
  const org = await organization()
  const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilPaused(id)
  return { org, moduleInstanceId, id }
}

describe('POST /deployment-checks', () => {
  test('stores nothing and changes nothing in the cloud', async () => {
    const org = await organization()
    const { moduleInstanceId, serviceArn } = await org.service(blueGreen)

    const answer = await org.client.ask('POST', '/deployment-checks', request(moduleInstanceId))

    expect(answer).toMatchObject({
      status: 201,
      body: { data: { moduleInstanceId, deploymentType: 'cloud:ecs', findings: [], gates: [], queue: [] } },
    })
    expect(await org.client.done('GET', `/deployments?moduleInstanceId=${moduleInstanceId}`)).toEqual([])
    const changes = ['RegisterTaskDefinition', 'UpdateService'] as const
    for (const operation of changes) {
      const calls = await org.calls(operation)
      expect(calls.filter(({ request }) => JSON.stringify(request).includes(serviceArn))).toEqual([])
    }
  })

  test('rejects what POST /deployments rejects, with the same error', async () => {
    const org = await organization()
    const { moduleInstanceId } = await org.service()
    const bodies = [
      { data: { moduleInstanceId, description: '', inputs: {} } },
      { data: { moduleInstanceId, description: '', inputs: { image_ref: 1 } } },
      request('mi_00000000000000000000000000'),
    ]
    for (const body of bodies) {
      const [created, checked] = [
        await org.client.ask('POST', '/deployments', body),
        await org.client.ask('POST', '/deployment-checks', body),
      ]
      const { requestId: _, ...expected } = created.body as Record<string, unknown>
      expect(created.status).toBeGreaterThanOrEqual(400)
      expect(checked).toMatchObject({ status: created.status, body: expected })
    }
  })

  test('requires the permission to deploy, and finds nothing of another organization', async () => {
    const org = await organization()
    const { moduleInstanceId } = await org.service()
    const viewer = await org.member('VIEWER')
    const developer = await org.member('DEVELOPER')
    const { client: stranger } = await organization()

    const statusOf = async (client: Client) =>
      (await client.ask('POST', '/deployment-checks', request(moduleInstanceId))).status
    expect(await statusOf(viewer)).toBe(403)
    expect(await statusOf(developer)).toBe(201)
    expect(await statusOf(stranger)).toBe(404)
  })

  test('lists the differences to the running release', async () => {
    const org = await organization()
    const { moduleInstanceId } = await org.service()
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:2')
    await org.untilStatus(id, 'SUCCESS')

    const { differences } = await check(org.client, moduleInstanceId, 'shop/app:3')

    expect(differences.againstDeploymentId).toBe(id)
    expect(differences.differences).toContainEqual({
      of: 'IMAGE',
      path: 'containerDefinitions.app.image',
      before: 'shop/app:2',
      after: 'shop/app:3',
    })
  })

  test('lists the active and queued deployments before the deployment, and the effect of the queue', async () => {
    const { org, moduleInstanceId, id } = await pausedRelease()
    const first = await check(org.client, moduleInstanceId)
    expect(first).toMatchObject({ outcome: 'WILL_WAIT', queue: [{ deploymentId: id, status: 'IN_PROGRESS' }] })

    const waiting = await org.deploy(moduleInstanceId, 'shop/app:3')
    const second = await check(org.client, moduleInstanceId)
    expect(codesOf(second)).toEqual(['INFO SUPERSEDES_QUEUED', 'INFO RELEASE_PAUSES'])
    expect(second.findings[0]?.message).toContain(waiting.id)
    expect(second.queue.map(({ deploymentId }) => deploymentId)).toEqual([id])
  })

  test('a full queue that rejects is an error', async () => {
    const org = await organization({ deploy: { concurrency: { queue_size: 0, queue_overflow: 'reject' } } })
    const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))
    await org.untilPaused((await org.deploy(moduleInstanceId)).id)

    const checked = await check(org.client, moduleInstanceId)

    expect(checked.outcome).toBe('WILL_FAIL')
    expect(codesOf(checked)).toEqual(['ERROR QUEUE_FULL', 'INFO RELEASE_PAUSES'])
    expect((await org.client.ask('POST', '/deployments', request(moduleInstanceId))).status).toBe(422)
  })

  test('lists gates in the order in which they would block it, with who can lift each', async () => {
    const org = await organization()
    const { moduleInstanceId } = await org.service()
    const { client } = org
    await client.done('POST', '/holds', { data: { moduleInstanceId, reason: 'An incident.' } })
    const rule = { name: 'Two eyes', guards: ['DEPLOYMENTS'], moduleInstanceId, requiredApprovals: 1 }
    await client.done('POST', '/approval-rules', { data: rule })
    const expression = `deployment.type != 'cloud:ecs'`
    const policy = { name: 'No containers', guards: 'DEPLOYMENTS', expression, message: 'No.', effect: 'DENY' }
    await client.done('POST', '/policies', { data: { ...policy, moduleInstanceId } })

    const { gates, outcome } = await check(client, moduleInstanceId)

    expect(gates.map(({ gate, effect, permission }) => [gate, effect, permission])).toEqual([
      ['POLICY', 'REJECT', 'policies:override'],
      ['HOLD', 'WAIT', 'holds:write'],
      ['APPROVAL_RULE', 'REQUIRE_APPROVAL', 'approvals:write'],
    ])
    expect(outcome).toBe('WILL_FAIL')
    expect((await client.ask('POST', '/deployments', request(moduleInstanceId))).status).toBe(422)
  })
})

describe('a check of a container service', () => {
  test('a missing service is an error with the inputs that name it', async () => {
    const org = await organization()
    const { input } = await org.service()
    const change = { service_arn: `${input.service_arn}-other` }
    const { moduleInstanceId } = await org.service(null, { change })

    const checked = await check(org.client, moduleInstanceId)

    expect(checked.outcome).toBe('WILL_FAIL')
    expect(checked.findings).toMatchObject([
      {
        severity: 'ERROR',
        code: 'SERVICE_MISSING',
        path: 'deploy.infrastructure.ecs_service_arn',
        inputs: [{ of: 'MODULE_INSTANCE', name: 'service_arn' }],
      },
    ])
  })

  test('an account whose role cannot be assumed is an error', async () => {
    const org = await organization()
    const { moduleInstanceId } = await org.service()
    await world.cloud.putRole({ roleArn: org.roleArn, externalId: 'another' })

    const checked = await check(org.client, moduleInstanceId)

    expect(checked).toMatchObject({ outcome: 'WILL_FAIL', unchecked: [] })
    expect(codesOf(checked)).toEqual(['ERROR ACCOUNT_ACCESS_DENIED'])
  })

  test('a reason for which a release fails at its start is an error', async () => {
    const org = await organization()
    const { moduleInstanceId, input } = await org.service(blueGreen)
    await org.clients.elb.send(new DeleteRuleCommand({ RuleArn: input.production_listener_rule_arn }))

    const checked = await check(org.client, moduleInstanceId)

    expect(codesOf(checked)).toEqual(['ERROR LISTENER_RULE_INVALID'])
    expect(checked.findings[0]?.inputs).toEqual([{ of: 'MODULE_INSTANCE', name: 'production_listener_rule_arn' }])
  })

  test('an active alarm is a warning, and a missing one is an error', async () => {
    const org = await organization({ deploy: { alarms: ['errors', 'removed'] } })
    const { moduleInstanceId } = await org.service()
    await setAlarm(org, 'errors')

    const checked = await check(org.client, moduleInstanceId)

    expect(codesOf(checked)).toEqual(['ERROR ALARM_MISSING', 'WARNING ALARM_ACTIVE'])
  })

  test('a read without permission is unchecked and makes the outcome unknown', async () => {
    const org = await organization({ deploy: { alarms: ['errors'] } })
    const { moduleInstanceId } = await org.service(blueGreen)
    await org.deny('cloudwatch:DescribeAlarms', 'elasticloadbalancing:DescribeRules')

    const checked = await check(org.client, moduleInstanceId)

    expect(checked).toMatchObject({ outcome: 'UNKNOWN', findings: [] })
    expect(uncheckedOf(checked)).toEqual(expect.arrayContaining(['ALARM_ACTIVE', 'LISTENER_RULE_INVALID']))

    await org.deny('ecs:DescribeServices', 'iam:SimulatePrincipalPolicy')
    const blind = await check(org.client, moduleInstanceId)
    expect(blind.outcome).toBe('UNKNOWN')
    expect(blind.unchecked.find(({ code }) => code === 'SERVICE_MISSING')).toMatchObject({
      remedy: expect.stringContaining('ecs:DescribeServices'),
    })
  })
})

async function setAlarm({ clients: { metrics } }: TestOrganization, AlarmName: string): Promise<void> {
  const threshold = {
    ComparisonOperator: 'GreaterThanThreshold',
    Threshold: 1,
    EvaluationPeriods: 1,
    Period: 60,
  } as const
  const metric = { Namespace: 'Shop', MetricName: 'Errors', Statistic: 'Sum' } as const
  await metrics.send(new PutMetricAlarmCommand({ AlarmName, ...metric, ...threshold }))
  await metrics.send(new SetAlarmStateCommand({ AlarmName, StateValue: 'ALARM', StateReason: 'Set by the test.' }))
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@sluice/client'
import type { ProjectDocument } from '@sluice/contract'
import { applyChange } from '@sluice/server/interface/project-files/apply-change'
import { planOf } from '@sluice/server/interface/project-files/plan'
import { readProject } from '@sluice/server/interface/project-files/read-project'
import { seedCodeSource, seedOrganization, startHttpWorld } from '@sluice/server/testing/http-world'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readFolder } from './read-folder.ts'
import { filesOf, type ProjectInFiles, writeProject } from './write.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>

beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const repository = 'https://git.example.com/acme/shop'

const named = (what: string) => `$\{${what}}`

/** Texts with special characters of YAML, name templates and the service. */
const text = fc.oneof(
  fc.constantFrom(
    named('env:HOME'),
    `$${named('ModuleInstance:staging/a')}`,
    named('CloudAccount:main'),
    `mi_${named('Environment:staging')}$`,
    'yes',
    '1.10',
    '2026-01-01',
    ' - a: b # c\n\n  d\n',
    '---',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((one) => !/<<|>>|\$\{|[\0\p{Cs}]/u.test(one)),
)
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer({ min: -1000, max: 1000 }),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.stringMatching(/^[a-z][a-z ]{0,4}$/), tie('value'), { maxKeys: 2 }),
  ),
})).value

const description = fc.option(fc.oneof(text, fc.constant('')), { nil: undefined })
const visible = { restricted: fc.boolean(), visibility: fc.constantFrom('ORGANIZATION', 'MEMBERS') }

/** Removes undefined fields. */
const said = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, one]) => one !== undefined)) as ProjectDocument

type PreviewWish = { note: string } & Record<string, unknown>

const previewTemplate = ({ note, ...more }: PreviewWish) =>
  said({
    kind: 'PreviewTemplate',
    environment: 'staging',
    source: repository,
    pipeline: 'release',
    ...more,
    inputs: { i0: { note, host: '<< environment.given_id >>.example.com' } },
    pipelineInputs: { commit: '<< pull_request.commit >>', template: named('Environment:staging') },
  })

const documents: fc.Arbitrary<ProjectDocument[]> = fc
  .record({
    project: fc.record({ description, ...visible }),
    environments: fc.record({
      staging: fc.record({ description, ...visible }),
      holdAfterRollback: fc.constantFrom(false, true, 'WARN'),
    }),
    order: fc.shuffledSubarray(['staging', 'production'], { minLength: 2 }),
    inputs: fc.array(fc.record({ note: text, more: value }), { maxLength: 3 }),
    argv: fc.array(text, { minLength: 1, maxLength: 3 }),
    defaults: fc.uniqueArray(fc.record({ environment: fc.constantFrom(undefined, 'staging'), value }), {
      selector: ({ environment }) => environment,
    }),
    roles: fc.subarray(['VIEWER', 'DEPLOYER'] as const),
    mode: fc.constantFrom('ENFORCE', 'WARN'),
    stops: fc.shuffledSubarray(['RELEASES', 'CONTINUES', 'ROLLBACKS'], { minLength: 1 }),
    policy: fc.record({
      instance: fc.boolean(),
      effect: fc.constantFrom('DENY', 'REQUIRE_APPROVAL', 'WARN'),
      teams: fc.subarray(['on-call']),
      isEnabled: fc.boolean(),
      tests: fc.subarray([
        { name: 'latest', given: { deployment: { images: [{ tag: 'latest' }] } }, expect: 'VIOLATED' },
      ]),
    }),
    approval: fc.record({
      instance: fc.boolean(),
      reason: fc.constantFrom(undefined, 'Two look at it.'),
      requiredApprovals: fc.integer({ min: 1, max: 10 }),
      teams: fc.constantFrom(undefined, [], ['on-call']),
      expiresAfterMinutes: fc.constantFrom(undefined, 60),
      excludeStarter: fc.boolean(),
      guards: fc.shuffledSubarray(['DEPLOYMENTS', 'STEPS', 'APPLIES', 'DESTROYS'], { minLength: 1 }),
      mode: fc.constantFrom('ENFORCE', 'WARN'),
    }),
    place: fc.record({
      size: fc.constantFrom(undefined, { cpuUnits: 512, memoryMiB: 1024 }),
      network: fc.constantFrom(
        undefined,
        { subnetIds: ['subnet-1'], securityGroupIds: [] },
        { subnetIds: ['subnet-1', 'subnet-2'], securityGroupIds: ['sg-1'], assignPublicIp: true },
      ),
      clusterName: fc.constantFrom(undefined, 'builds'),
    }),
    runsIn: fc.constantFrom(undefined, 'pool', 'cloud'),
    assigned: fc.uniqueArray(
      fc.record({
        environment: fc.constantFrom(undefined, 'staging'),
        executionEnvironment: fc.constantFrom('pool', 'cloud'),
      }),
      { selector: ({ environment }) => environment },
    ),
    network: fc.constantFrom(undefined, {
      cloudAccount: 'main',
      region: 'eu-west-1',
      network: 'vpc-0a1b2c3d',
      subnets: ['subnet-0a1b2c3d'],
      securityGroups: [],
    }),
    domain: fc.boolean(),
    quiet: fc.constantFrom([], [{ from: '19:00', until: '08:00', days: ['MON', 'TUE'] }]),
    promotion: fc.option(
      fc.record({
        reason: fc.constantFrom(undefined, 'Look at it first.'),
        soakMinutes: fc.nat({ max: 90 }),
        start: fc.constantFrom('MANUAL', 'AUTOMATIC'),
        mode: fc.constantFrom('ENFORCE', 'WARN'),
      }),
      { nil: undefined, freq: 4 },
    ),
    drift: fc.option(
      fc.record({
        cron: fc.constantFrom('0 6 * * *', '30 2 * * 1'),
        timeZone: fc.constantFrom('UTC', 'Europe/Berlin'),
      }),
      { nil: undefined, freq: 4 },
    ),
    preview: fc.option(
      fc.record({
        branches: fc.constantFrom(undefined, ['main', 'release/*']),
        paths: fc.constantFrom(undefined, ['web/**']),
        note: text,
        lifetimeHours: fc.integer({ min: 1, max: 2160 }),
        allowsForks: fc.boolean(),
      }),
      { nil: undefined, freq: 4 },
    ),
    window: fc.constantFrom(
      { cron: '0 16 * * 5', timeZone: 'Europe/Berlin', minutes: 60 },
      { from: '2099-12-23T17:00:00Z', until: '2100-01-04T08:00:00.500Z' },
    ),
    events: fc.shuffledSubarray(['deployment.failed', 'deployment.paused'], { minLength: 1 }),
    environmentsTold: fc.shuffledSubarray(['staging', 'production']),
  })
  .map(({ project, environments, order, inputs, argv, defaults, roles, ...rules }) => [
    said({ kind: 'Project', name: 'shop', ...project }),
    said({ kind: 'ExecutionEnvironment', name: 'pool', type: 'runners', title: 'Pool' }),
    said({ kind: 'ExecutionEnvironment', name: 'cloud', cloudAccount: 'main', region: 'eu-west-1', ...rules.place }),
    ...rules.assigned.map((one) => said({ kind: 'ExecutionAssignment', ...one })),
    said({ kind: 'Environment', name: 'staging', ...environments.staging, network: rules.network }),
    ...(rules.domain ? [said({ kind: 'Domain', name: 'shop.example.com', environment: 'staging' })] : []),
    said({ kind: 'Environment', name: 'production', holdAfterRollback: environments.holdAfterRollback }),
    said({ kind: 'EnvironmentOrder', environments: order }),
    said({ kind: 'DefaultValueDefinition', name: 'anything', schema: {} }),
    ...defaults.map((one) => said({ kind: 'DefaultValue', name: 'anything', ...one })),
    said({ kind: 'ModuleDefinition', name: 'web' }),
    said({
      kind: 'ModuleVersion',
      name: 'web',
      version: '1.0.0',
      config: { inputs: ['note', 'before'].map((id) => ({ id, type: 'string' })) },
    }),
    said({ kind: 'Stack', name: 'shop' }),
    ...inputs.map(({ note }, index) =>
      said({
        kind: 'ModuleInstance',
        name: `i${index}`,
        environment: 'staging',
        module: 'web',
        version: '1.0.0',
        input: { note, ...(index > 0 && { before: `$\{ModuleInstance:staging/i${index - 1}}` }) },
      }),
    ),
    said({
      kind: 'Pipeline',
      name: 'release',
      config: {
        steps: [
          {
            id: 'a',
            type: 'command',
            with: { argv: ['echo', ...argv] },
            ...(rules.runsIn && { execution_environment_id: named(`ExecutionEnvironment:${rules.runsIn}`) }),
          },
        ],
      },
    }),
    said({
      kind: 'Pipeline',
      name: 'drift',
      config: {
        steps: [{ id: 'look', type: 'iac:drift', with: { stack: 'shop', source: { files: { 'main.tf': '' } } } }],
      },
    }),
    ...(rules.drift === undefined
      ? []
      : [said({ kind: 'DriftSchedule', stack: 'shop', pipeline: 'drift', ...rules.drift })]),
    ...(rules.preview === undefined ? [] : [previewTemplate(rules.preview)]),
    ...roles.map((role) => said({ kind: 'RoleGrant', name: 'on-call', principalType: 'TEAM', role })),
    said({
      kind: 'Freeze',
      name: 'Weekend',
      environment: 'staging',
      mode: rules.mode,
      stops: rules.stops,
      window: rules.window,
    }),
    said({
      kind: 'Policy',
      name: 'No latest',
      guards: 'DEPLOYMENTS',
      environment: 'staging',
      ...(rules.policy.instance && inputs.length > 0 && { instance: 'i0' }),
      expression: "deployment.images.all(image, image.tag != 'latest')",
      message: 'Name a version.',
      effect: rules.policy.effect,
      isEnabled: rules.policy.isEnabled,
      tests: rules.policy.tests,
      ...(rules.policy.effect === 'REQUIRE_APPROVAL' && {
        approval: { requiredApprovals: 2, teams: rules.policy.teams, excludeStarter: true },
      }),
    }),
    said({
      kind: 'ApprovalRule',
      name: 'Two of them',
      environment: 'staging',
      ...rules.approval,
      instance: rules.approval.instance && inputs.length > 0 ? 'i0' : undefined,
    }),
    ...(rules.promotion === undefined
      ? []
      : [said({ kind: 'PromotionRule', from: order[0], to: order[1], ...rules.promotion })]),
    said({
      kind: 'NotificationChannel',
      name: 'Operations',
      url: 'https://hooks.example.com/a',
      events: rules.events,
      environments: rules.environmentsTold,
    }),
    said({
      kind: 'NotificationChannel',
      name: 'Chat',
      type: 'SLACK',
      url: named('env:CHAT_URL'),
      quietHours: rules.quiet,
      digest: 'DAILY',
      timeZone: 'Europe/Berlin',
    }),
    said({ kind: 'NotificationChannel', name: 'Mail', type: 'EMAIL', recipients: ['b@example.com', 'a@example.com'] }),
    said({ kind: 'NotificationChannel', name: 'Team', type: 'TEAM_MEMBERS', team: 'on-call', events: rules.events }),
    said({
      kind: 'NotificationChannel',
      name: 'On call',
      type: 'PAGERDUTY',
      routingKey: named('env:ON_CALL_ROUTINGKEY'),
    }),
  ])

const variables = {
  HOME: '/home/ada',
  CHAT_URL: 'https://hooks.slack.com/services/T0/B0/secret',
  ON_CALL_ROUTINGKEY: 'R0123456789ABCDEFGHIJKLMNOPQRSTU',
}

async function organization() {
  const { key, organizationId } = await seedOrganization(world.db)
  await seedCodeSource(world.db, organizationId, repository)
  const client = createClient({ baseUrl: world.url, token: key })
  await client.createCloudAccount({ body: { data: { givenId: 'main', name: 'Main' } } })
  await client.createTeam({ body: { data: { name: 'on-call' } } })
  return client
}

/** Applies documents to an organization and returns its resulting documents. */
async function applied(files: ProjectInFiles, client: Awaited<ReturnType<typeof organization>>) {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-round-'))
  try {
    await writeProject(files, folder, world.url)
    const { written, faults } = await readFolder(folder, { env: variables })
    expect(faults).toEqual([])
    const state = await readProject(client, 'shop')
    const found = planOf(written, state, {})
    expect(found.faults).toEqual([])
    for (const change of found.plan.changes) {
      await applyChange(change, {
        client,
        project: 'shop',
        state,
        runStacks: false,
        say: () => undefined,
        retry: { forMs: 0 },
      })
    }
    const there = await readProject(client, 'shop', { documents: written.map(({ document }) => document) })
    expect(planOf(written, there, { prune: true }).plan.changes).toEqual([])
    return filesOf(there)
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('a project that is applied, exported and applied elsewhere is the same there', async () => {
  await fc.assert(
    fc.asyncProperty(documents, async (wanted) => {
      const first = await applied(new Map([['all.yaml', wanted]]), await organization())
      expect(await applied(first, await organization())).toEqual(first)
    }),
    { numRuns: 5, endOnFailure: true },
  )
})

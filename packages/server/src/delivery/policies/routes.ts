import {
  type CreatePolicy,
  type Policy,
  type PolicyOverride,
  type PolicyRules,
  type PolicyVersion,
  routes,
} from '@sluice/contract'
import { authorOf } from '../../identity/audit-events/author.ts'
import { heldBefore, recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { missing } from '../../platform/http/references.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { present } from '../../platform/present.ts'
import { subjectsOf } from '../deployments/policy-subjects.ts'
import { latestDeployments } from '../deployments/store.ts'
import { holdPlace } from '../freezes/places.ts'
import { expectRightsOnAll } from '../freezes/rights.ts'
import { bundledPolicies } from './bundled.ts'
import { refuseUnsound, soundVerdicts } from './sound.ts'
import {
  countPolicies,
  findPolicy,
  insertOverride,
  insertPolicy,
  listOverrides,
  listPolicies,
  listVersions,
  lockPolicy,
  removePolicy,
  rulesOf,
  updatePolicy,
} from './store.ts'
import type { PolicyOverrideRow, PolicyRow, PolicyVersionRow } from './tables.ts'

const resourceType = 'policy'

type Parts = { openPage: OpenPage; clock: () => Date }

export function servePolicies(app: App, { openPage, clock }: Parts): void {
  handle(app, routes.createPolicy, ({ body: { data }, caller, db, request }) => {
    const { projectId, environmentId, moduleInstanceId, guards, ...given } = data
    const rules = { ...usual, ...given }
    if (guards === 'PIPELINE_VERSIONS' && (environmentId ?? moduleInstanceId) !== undefined) throw tooNarrow()
    refuseUnsound(guards, rules)
    return db.transaction(async (tx) => {
      const { organizationId } = caller
      if ((await countPolicies(tx, organizationId)) >= mostPolicies) throw tooMany()
      const place = await holdPlace(tx, organizationId, present({ projectId, environmentId, moduleInstanceId }))
      const { actorName: createdBy } = authorOf({ caller, request })
      const row = await insertPolicy(tx, { organizationId, ...place, guards, ...rules, createdBy })
      const details = { ...told(rules), guards, ...place }
      const change = { action: 'policies.create', resourceType, resourceId: row.id, details }
      await recordChange(tx, { caller, request }, change)
      return { data: toWire(row) }
    })
  })

  handle(app, routes.listPolicies, async ({ query, caller, db }) => {
    const page = openPage(routes.listPolicies, caller, query)
    return page.reply(await listPolicies(db, caller.organizationId, query, page), toWire)
  })

  handle(app, routes.listBundledPolicies, async () => ({ data: bundledPolicies }))

  handle(app, routes.dryRunPolicy, async ({ body: { data }, caller, db }) => {
    const { guards, expression, rollbacks = false, count = 100, ...named } = data
    const { organizationId } = caller
    const place = await db.transaction((tx) => holdPlace(tx, organizationId, named))
    const found = await latestDeployments(db, organizationId, { place, rollbacks, count })
    const told = found.map((row) => ({ row, askedAt: row.createdAt }))
    const verdicts = soundVerdicts(guards, expression, await subjectsOf(db, organizationId, told))
    const stopped = found.flatMap(({ id: deploymentId, createdAt }, index) => {
      const verdict = verdicts[index]
      if (!verdict || verdict.verdict === 'ALLOWED') return []
      return [{ deploymentId, createdAt: createdAt.toISOString(), ...verdict }]
    })
    return { data: present({ judged: found.length, since: found.at(-1)?.createdAt.toISOString(), stopped }) }
  })

  handle(app, routes.getPolicy, async ({ params, caller, db }) => ({
    data: toWire(await policyNamed(db, caller.organizationId, params.id)),
  }))

  handle(app, routes.updatePolicy, ({ params, body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const before = await lockPolicy(tx, caller.organizationId, params.id)
      if (!before) throw notFound(params.id)
      refuseUnsound(before.guards, { ...rulesOf(before), ...data })
      const row = await updatePolicy(tx, before.id, data, authorOf({ caller, request }).actorName)
      const details = { ...told(data), version: row.version }
      const change = { action: 'policies.update', resourceType, resourceId: row.id, details }
      await recordChange(tx, { caller, request }, { ...change, before: heldBefore(before, told(data)) })
      return { data: toWire(row) }
    }),
  )

  handle(app, routes.deletePolicy, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const row = await removePolicy(tx, caller.organizationId, params.id)
      if (!row) throw notFound(params.id)
      const before = { ...told(rulesOf(row)), guards: row.guards, version: row.version }
      const change = { action: 'policies.delete', resourceType, resourceId: row.id, before }
      await recordChange(tx, { caller, request }, change)
    }),
  )

  handle(app, routes.listPolicyVersions, async ({ params, query, caller, db }) => {
    const page = openPage(routes.listPolicyVersions, caller, { ...query, ...params })
    const policy = await policyNamed(db, caller.organizationId, params.id)
    return page.reply(await listVersions(db, policy, page), versionToWire)
  })

  handle(app, routes.createPolicyOverride, ({ params, body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const policy = await lockPolicy(tx, organizationId, params.id)
      if (!policy) throw notFound(params.id)
      const { moduleInstanceId, reason, minutes = 60 } = data
      if (moduleInstanceId === undefined) await expectRightsOnAll(tx, caller, policy, 'policies:override')
      const place =
        moduleInstanceId === undefined ? placeOf(policy) : await holdPlace(tx, organizationId, { moduleInstanceId })
      const until = new Date(clock().getTime() + minutes * 60_000)
      const { actorName: createdBy } = authorOf({ caller, request })
      const given = { organizationId, policyId: policy.id, ...place, reason, until, createdBy }
      const row = await insertOverride(tx, given)
      const details = { reason, until: until.toISOString(), ...present({ moduleInstanceId }) }
      const change = { action: 'policies.override', resourceType, resourceId: policy.id, details }
      await recordChange(tx, { caller, request }, change)
      return { data: overrideToWire(row) }
    }),
  )

  handle(app, routes.listPolicyOverrides, async ({ params, query, caller, db }) => {
    const page = openPage(routes.listPolicyOverrides, caller, { ...query, ...params })
    const policy = await policyNamed(db, caller.organizationId, params.id)
    return page.reply(await listOverrides(db, policy, page), overrideToWire)
  })
}

const usual = { effect: 'DENY', isEnabled: true, rollbacks: false, tests: [] } as const satisfies Partial<CreatePolicy>

/** What the audit log tells of it: tests are in its versions. */
const told = ({ tests: _, ...rules }: Partial<PolicyRules>) => rules

async function policyNamed(db: Db, organizationId: string, id: string): Promise<PolicyRow> {
  const row = await findPolicy(db, organizationId, id)
  if (!row) throw notFound(id)
  return row
}

const placeOf = ({ projectId, environmentId, moduleInstanceId }: PolicyRow) => ({
  projectId,
  environmentId,
  moduleInstanceId,
})

/** All of an organization's are asked together, within one budget. */
const mostPolicies = 50

const tooMany = () =>
  new Refusal('tooManyPolicies', `An organization may have ${mostPolicies} policies. Delete some, or join some by &&.`)

const tooNarrow = () =>
  bodyInvalid(['$.data: a pipeline is of a project: a policy on its versions names a project at most'])

const notFound = (id: string) => missing('policyNotFound', 'policy', id)

const toWire = (row: PolicyRow): Policy =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    projectId: row.projectId ?? undefined,
    environmentId: row.environmentId ?? undefined,
    moduleInstanceId: row.moduleInstanceId ?? undefined,
    guards: row.guards,
    version: row.version,
    ...rulesOf(row),
    createdBy: row.createdBy,
  })

const versionToWire = ({ id, createdAt, policyId, version, rules, createdBy }: PolicyVersionRow): PolicyVersion => ({
  ...{ id, createdAt: createdAt.toISOString(), policyId, version },
  ...rules,
  createdBy,
})

const overrideToWire = (row: PolicyOverrideRow): PolicyOverride =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    policyId: row.policyId,
    moduleInstanceId: row.moduleInstanceId ?? undefined,
    reason: row.reason,
    until: row.until.toISOString(),
    createdBy: row.createdBy,
  })

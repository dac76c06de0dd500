import {
  type CreatePolicy,
  type CreatePolicyOverride,
  type Policy,
  type PolicyGuards,
  type PolicyOverride,
  type PolicyRules,
  type PolicyVersion,
  routes,
} from '@sluice/contract'
import type { Logger } from 'pino'
import { authorOf } from '../../identity/audit-events/author.ts'
import { previousValues, recordChange } from '../../identity/audit-events/record.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { createDispatch } from '../../platform/engine/dispatch.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { expectTeams } from '../approval-rules/teams.ts'
import { DeniedByPolicy, recordDenials } from '../denials.ts'
import { lockScope } from '../lock-scope.ts'
import type { LoadPastSubjects } from '../policy-subjects.ts'
import type { Scope } from '../scope.ts'
import { requirePermissionInAllEnvironments } from '../scope-permissions.ts'
import { defaultApproval } from './approval-requirements.ts'
import { bundledPolicies } from './bundled.ts'
import {
  insertOverride,
  insertPolicy,
  listOverrides,
  listVersions,
  policyStore,
  rulesOf,
  updatePolicy,
} from './store.ts'
import type { PolicyOverrideRow, PolicyRow, PolicyVersionRow } from './tables.ts'
import { expectValidExpression, expectVerdicts } from './validation.ts'

const resourceType = 'policy'

type Parts = {
  engine: Engine
  openPage: OpenPage
  /** Returns past subjects, by what a policy guards, for the dry run of a new policy. */
  past: Record<PolicyGuards, LoadPastSubjects>
  /**
   * Loads a pipeline and prevents its deletion until the end of the transaction; undefined if the organization does not
   * have it.
   */
  holdPipeline: (tx: Db, organizationId: string, id: string) => Promise<{ projectId: string } | undefined>
  /** Evaluates waiting steps again. Returns the messages to send after the commit. */
  rejudgeSteps: (tx: Db, organizationId: string, now: Date) => Promise<Message[]>
  clock: () => Date
  log: Logger
}

export function servePolicies(
  app: App,
  { engine, openPage, past, holdPipeline, rejudgeSteps, clock, log }: Parts,
): void {
  const dispatch = createDispatch({ engine, log })
  app.addHook('onClose', dispatch.settled)
  app.afterRejection.set('stoppedByPolicy', async (asked, apiError) => {
    const { organizationId } = asked.caller
    if (apiError instanceof DeniedByPolicy)
      await recordDenials(app.ofOrganization(organizationId), authorOf(asked), apiError)
  })

  handle(app, routes.createPolicy, ({ body: { data }, caller, db, request }) => {
    const { projectId, environmentId, moduleInstanceId, guards, ...given } = data
    const rules = withApproval({ ...usual, ...given })
    rejectTooNarrow(guards, { environmentId, moduleInstanceId })
    expectValidExpression(guards, rules)
    return db.transaction(async (tx) => {
      const { organizationId } = caller
      if ((await policyStore.count(tx, organizationId)) >= maxPolicies) throw tooMany()
      const place = await lockScope(tx, organizationId, present({ projectId, environmentId, moduleInstanceId }))
      await expectTeams(tx, organizationId, { field: 'approval.teamIds', ids: rules.approval?.teamIds ?? [] })
      const { actorName: createdBy } = authorOf({ caller, request })
      const row = await insertPolicy(tx, { organizationId, ...place, guards, ...rules, createdBy })
      const details = { ...auditedRules(rules), guards, ...place }
      const change = { action: 'policies.create', resourceType, resourceId: row.id, of: row, details }
      await recordChange(tx, { caller, request }, change)
      return { data: serialize(row) }
    })
  })

  handle(app, routes.listPolicies, async ({ query, caller, db }) => {
    const page = openPage(routes.listPolicies, caller, query)
    return page.reply(await policyStore.list(db, caller.organizationId, query, page), serialize)
  })

  handle(app, routes.listBundledPolicies, async () => ({ data: bundledPolicies }))

  handle(app, routes.dryRunPolicy, async ({ body: { data }, caller, db }) => {
    const { guards, expression, rollbacks = false, count = 100, ...named } = data
    rejectTooNarrow(guards, named)
    const { organizationId } = caller
    const place = await db.transaction((tx) => lockScope(tx, organizationId, named))
    const found = await past[guards](db, organizationId, { place, rollbacks, count })
    const subjects = found.map(({ subject }) => subject)
    const verdicts = expectVerdicts(guards, expression, subjects)
    const blocked = found.flatMap(({ of, createdAt }, index) => {
      const verdict = verdicts[index]
      if (!verdict || verdict.verdict === 'ALLOWED') return []
      return [{ ...of, createdAt: createdAt.toISOString(), ...verdict }]
    })
    return { data: present({ evaluatedCount: found.length, since: found.at(-1)?.createdAt.toISOString(), blocked }) }
  })

  handle(app, routes.getPolicy, async ({ params, caller, db }) => ({
    data: serialize(await policyNamed(db, caller.organizationId, params.id)),
  }))

  handle(app, routes.updatePolicy, ({ params, body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const before = await policyStore.lock(tx, caller.organizationId, params.id)
      if (!before) throw notFound(params.id)
      const rules = withApproval({ ...rulesOf(before), ...data })
      expectValidExpression(before.guards, rules)
      // Only added teams must exist, because teams that the policy names already may be deleted.
      const ids = (data.approval?.teamIds ?? []).filter((id) => !before.approval?.teamIds.includes(id))
      await expectTeams(tx, caller.organizationId, { field: 'approval.teamIds', ids })
      const changes = { ...data, ...present({ approval: rules.approval }) }
      const row = await updatePolicy(tx, before.id, changes, authorOf({ caller, request }).actorName)
      const details = { ...auditedRules(data), version: row.version }
      const change = { action: 'policies.update', resourceType, resourceId: row.id, of: row, details }
      await recordChange(tx, { caller, request }, { ...change, before: previousValues(before, auditedRules(data)) })
      return { data: serialize(row) }
    }),
  )

  handle(app, routes.deletePolicy, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const row = await policyStore.remove(tx, caller.organizationId, params.id)
      if (!row) throw notFound(params.id)
      const before = { ...auditedRules(rulesOf(row)), guards: row.guards, version: row.version }
      const change = { action: 'policies.delete', resourceType, resourceId: row.id, of: row, before }
      await recordChange(tx, { caller, request }, change)
    }),
  )

  handle(app, routes.listPolicyVersions, async ({ params, query, caller, db }) => {
    const page = openPage(routes.listPolicyVersions, caller, { ...query, ...params })
    const policy = await policyNamed(db, caller.organizationId, params.id)
    return page.reply(await listVersions(db, policy, page), serializeVersion)
  })

  handle(app, routes.createPolicyOverride, ({ params, body: { data }, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const policy = await policyStore.lock(tx, organizationId, params.id)
      if (!policy) throw notFound(params.id)
      const { moduleInstanceId, pipelineId, reason, minutes = 60 } = data
      const place = await placeToPass(tx, caller, policy, data)
      const now = clock()
      const until = new Date(now.getTime() + minutes * 60_000)
      const { actorName: createdBy } = authorOf({ caller, request })
      const given = { organizationId, policyId: policy.id, ...place, reason, until, createdBy }
      const row = await insertOverride(tx, given)
      const details = { reason, until: until.toISOString(), ...present({ moduleInstanceId, pipelineId }) }
      const change = { action: 'policies.override', resourceType, resourceId: policy.id, of: place, details }
      await recordChange(tx, { caller, request }, change)
      const messages = policy.guards === 'PLANS' ? await rejudgeSteps(tx, organizationId, now) : []
      afterwards(() => {
        for (const message of messages) dispatch.soon(message)
      })
      return { data: serializeOverride(row) }
    }),
  )

  /** Returns the scope of an override with its parents: the given one, or that of the policy. */
  async function placeToPass(tx: Db, caller: Caller, policy: PolicyRow, named: Named): Promise<HeldPlace> {
    const { organizationId } = caller
    const { moduleInstanceId, pipelineId } = named
    const instance = moduleInstanceId ? await lockScope(tx, organizationId, { moduleInstanceId }) : undefined
    const pipeline = pipelineId ? await placeOfPipeline(tx, organizationId, pipelineId) : undefined
    rejectOtherThings(policy.guards, named)
    const one = instance ?? pipeline
    if (one) return one
    // Pipeline versions have no environment, so restrictions do not apply.
    if (policy.guards !== 'PIPELINE_VERSIONS')
      await requirePermissionInAllEnvironments(tx, caller, policy, 'policies:override')
    return placeOf(policy)
  }

  async function placeOfPipeline(tx: Db, organizationId: string, pipelineId: string): Promise<HeldPlace> {
    const pipeline = await holdPipeline(tx, organizationId, pipelineId)
    if (!pipeline) throw referenceNotFound('pipelineId', 'pipeline', pipelineId)
    return { projectId: pipeline.projectId, environmentId: null, moduleInstanceId: null, pipelineId }
  }

  handle(app, routes.listPolicyOverrides, async ({ params, query, caller, db }) => {
    const page = openPage(routes.listPolicyOverrides, caller, { ...query, ...params })
    const policy = await policyNamed(db, caller.organizationId, params.id)
    return page.reply(await listOverrides(db, policy, page), serializeOverride)
  })
}

const usual = { effect: 'DENY', isEnabled: true, rollbacks: false, tests: [] } as const satisfies Partial<CreatePolicy>

/** Adds the default approvals to a policy that requires approval. */
const withApproval = <R extends Pick<PolicyRules, 'effect' | 'approval'>>(rules: R): R =>
  rules.effect === 'REQUIRE_APPROVAL' ? { ...rules, approval: rules.approval ?? defaultApproval } : rules

/** Returns the properties for the audit log; tests are in the versions. */
const auditedRules = ({ tests: _, ...rules }: Partial<PolicyRules>) => rules

async function policyNamed(db: Db, organizationId: string, id: string): Promise<PolicyRow> {
  const row = await policyStore.find(db, organizationId, id)
  if (!row) throw notFound(id)
  return row
}

type Named = Pick<CreatePolicyOverride, 'moduleInstanceId' | 'pipelineId'>
type HeldPlace = Pick<PolicyOverrideRow, 'projectId' | 'environmentId' | 'moduleInstanceId'> & { pipelineId?: string }

/** Rejects an override for something that the policy never evaluates, which is probably a mistake. */
function rejectOtherThings(guards: PolicyGuards, { moduleInstanceId, pipelineId }: Named): void {
  const isOfPipelines = guards === 'PIPELINE_VERSIONS'
  const wrong = isOfPipelines ? moduleInstanceId : pipelineId
  if (wrong === undefined) return
  const [not, but] = isOfPipelines ? ['moduleInstanceId', 'pipelineId'] : ['pipelineId', 'moduleInstanceId']
  throw bodyInvalid([`$.data.${not}: the policy judges ${guards}: name a ${but}, or neither for all that it stops`])
}

const placeOf = ({ projectId, environmentId, moduleInstanceId }: PolicyRow) => ({
  projectId,
  environmentId,
  moduleInstanceId,
})

/** Maximum number of policies of an organization, because all are evaluated within one budget. */
const maxPolicies = 50

const tooMany = () =>
  new ApiError(
    'tooManyPolicies',
    `An organization can have at most ${maxPolicies} policies. Delete some, or combine some with &&.`,
  )

function rejectTooNarrow(guards: PolicyGuards, { environmentId, moduleInstanceId }: Scope): void {
  if (guards !== 'PIPELINE_VERSIONS' || (environmentId ?? moduleInstanceId) === undefined) return
  throw bodyInvalid(['$.data: a pipeline is of a project: a policy on its versions names a project at most'])
}

const notFound = (id: string) => missing('policyNotFound', 'policy', id)

const serialize = (row: PolicyRow): Policy =>
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

const serializeVersion = ({ id, createdAt, policyId, version, rules, createdBy }: PolicyVersionRow): PolicyVersion => ({
  id,
  createdAt: createdAt.toISOString(),
  policyId,
  version,
  ...rules,
  createdBy,
})

const serializeOverride = (row: PolicyOverrideRow): PolicyOverride =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    policyId: row.policyId,
    moduleInstanceId: row.moduleInstanceId ?? undefined,
    pipelineId: row.pipelineId ?? undefined,
    reason: row.reason,
    until: row.until.toISOString(),
    createdBy: row.createdBy,
  })

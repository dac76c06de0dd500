import type { ApprovalRequirement, PipelineVersionApproval } from '@sluice/contract'
import {
  type ApprovalQuestion,
  type Approvals,
  findCallerIneligibility,
  loadApprovals,
  type RequiredApprovals,
  type Rule,
  reasonsInWords,
  representDemands,
  rulesOfPolicies,
  type TeamNames,
  teamsInWords,
  unmetRequirements,
} from '../../gates/approvals.ts'
import { evaluateGates, gateRules } from '../../gates/load.ts'
import { permissionsOn } from '../../platform/auth/access.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import type { Unapproved } from '../pipeline-runs/machine.ts'
import type { PipelineRunRow, PipelineVersionRow, VersionApproval } from '../pipelines/tables.ts'
import { findPipelineVersion } from './store.ts'

/**
 * Returns the approvals that policies required when the version was created, as rules. The author's own approval never
 * counts.
 */
export const rulesOf = ({ policies }: PipelineVersionRow): Rule[] =>
  rulesOfPolicies(policies ?? [], ['STEPS']).map((rule) => ({ ...rule, excludeStarter: true }))

/** Returns a version in the form in which the policies' approval rules evaluate it. */
const questionOf = (version: PipelineVersionRow): ApprovalQuestion => ({
  guarded: {
    what: ['STEPS'],
    places: [{}],
    isRollback: false,
    starter: { id: version.createdById, name: undefined },
    authors: [],
  },
  ofPolicies: rulesOf(version),
  isOnlyPolicies: true,
  given: async () => approvalsOf(version).map(({ at, ...given }) => ({ ...given, createdAt: new Date(at) })),
  askedAt: undefined,
})

/** Evaluates the required approvals of a version, using its approvers and the teams that they belong to now. */
export const requiredApprovalsOfVersion = (tx: Db, version: PipelineVersionRow): Promise<Approvals> =>
  loadApprovals(gateRules(tx, version.organizationId), questionOf(version))

export const approvalsOf = ({ approvals }: PipelineVersionRow): VersionApproval[] => approvals ?? []

/** Returns why runs of a version may not start, or undefined if they may. */
export async function unapprovedVersion(
  tx: Db,
  { organizationId, pipelineVersionId }: Pick<PipelineRunRow, 'organizationId' | 'pipelineVersionId'>,
  now: Date,
): Promise<Unapproved | undefined> {
  const version = await findPipelineVersion(tx, organizationId, pipelineVersionId)
  if (!version) return undefined
  const question = { moment: 'RUN', scope: {}, approval: questionOf(version) } as const
  const { decision, approvals } = await evaluateGates(gateRules(tx, organizationId), question, now)
  if (decision.decision !== 'requireApproval' || !approvals) return undefined
  const asks = unmetRequirements(approvals).map((demand) => messageFor(demand, approvals.names))
  return { pipelineVersionId, version: version.version, asks: asks.join('; ') }
}

/** Returns the message about a missing approval, with the approvers and the policy. */
const messageFor = ({ rule, given }: RequiredApprovals, names: TeamNames): string =>
  `${given} of ${rule.requiredApprovals} by the policy “${rule.name}”, of ${teamsInWords(rule, names)} but not of who wrote it`

/** Reasons for which an approval of a version does not count. */
export const reasons = {
  ...reasonsInWords,
  STARTER: 'You wrote it, and the policy asks others.',
  SERVICE_ACCOUNT: 'The policy counts people, not service accounts.',
  NOT_IN_TEAM: 'You are in none of the teams that the policy asks.',
} as const satisfies Record<keyof typeof reasonsInWords, string>

/** Returns the required and given approvals of a version for a caller. */
export async function approvalIn(
  db: Db,
  caller: Caller,
  version: PipelineVersionRow,
  { projectId, now }: { projectId: string; now: Date },
): Promise<PipelineVersionApproval> {
  const given = approvalsOf(version)
  const asked = await requiredApprovalsOfVersion(db, version)
  const reason =
    asked.demands.length === 0
      ? 'No policy asks about it.'
      : permissionsOn(caller.access, { projectId }).has('approvals:write')
        ? await findCallerIneligibility(db, caller, asked, now).then((why) => why && reasons[why])
        : 'Your roles do not let you approve there.'
  return {
    isPending: unmetRequirements(asked).length > 0,
    requirements: representDemands(asked).map(byAuthor),
    approvals: given.map(({ actorType: type, actorId: id, actorName: name, at: createdAt, comment, onBehalfOf }) =>
      present({ createdAt, actor: { type, id, name }, comment, onBehalfOf }),
    ),
    caller: present({
      canDecide: reason === undefined,
      reason,
      hasApproved: given.some(({ actorId }) => actorId === caller.membershipId),
    }),
  }
}

/** Replaces the starter by the author, because a version is written and not started. */
const byAuthor = (demand: ApprovalRequirement): ApprovalRequirement => ({
  ...demand,
  excludeStarter: false,
  excludeAuthor: true,
})

import type { ApprovalRequirement, PipelineVersionApproval } from '@sluice/contract'
import {
  type ApprovalQuestion,
  type Approvals,
  type Demand,
  loadApprovals,
  openDemands,
  type Rule,
  reasonsInWords,
  representDemands,
  rulesOfPolicies,
  type TeamNames,
  teamsInWords,
  whyNotCounted,
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
 * What policies asked of a version when it was made, as rules that guard its steps. Whoever wrote it never counts: what
 * is asked for is that somebody else has looked.
 */
export const rulesOf = ({ policies }: PipelineVersionRow): Rule[] =>
  rulesOfPolicies(policies ?? [], ['STEPS']).map((rule) => ({ ...rule, excludeStarter: true }))

/** A version as the policies ask about it by which it was evaluated. */
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

/** What is asked of a version, by who has approved it and in which teams those are now. */
export const askedOfVersion = (tx: Db, version: PipelineVersionRow): Promise<Approvals> =>
  loadApprovals(gateRules(tx, version.organizationId), questionOf(version))

export const approvalsOf = ({ approvals }: PipelineVersionRow): VersionApproval[] => approvals ?? []

/** Returns why runs of a version may not begin, or undefined if they may. */
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
  const asks = openDemands(approvals).map((demand) => inWords(demand, approvals.names))
  return { pipelineVersionId, version: version.version, asks: asks.join('; ') }
}

/** What people read of an approval that is missing: whose, and by which policy. */
const inWords = ({ rule, given }: Demand, names: TeamNames): string =>
  `${given} of ${rule.requiredApprovals} by the policy “${rule.name}”, of ${teamsInWords(rule, names)} but not of who wrote it`

/** Why an approval of a version does not count. */
export const reasons = {
  ...reasonsInWords,
  STARTER: 'You wrote it, and the policy asks others.',
  SERVICE_ACCOUNT: 'The policy counts people, not service accounts.',
  NOT_IN_TEAM: 'You are in none of the teams that the policy asks.',
} as const satisfies Record<keyof typeof reasonsInWords, string>

/** Who must approve a version, and how many have, for whoever asks. */
export async function approvalIn(
  db: Db,
  caller: Caller,
  version: PipelineVersionRow,
  { projectId, now }: { projectId: string; now: Date },
): Promise<PipelineVersionApproval> {
  const given = approvalsOf(version)
  const asked = await askedOfVersion(db, version)
  const reason =
    asked.demands.length === 0
      ? 'No policy asks about it.'
      : permissionsOn(caller.access, { projectId }).has('approvals:write')
        ? await whyNotCounted(db, caller, asked, now).then((why) => why && reasons[why])
        : 'Your roles do not let you approve there.'
  return {
    isPending: openDemands(asked).length > 0,
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

/** Nobody starts a version: somebody writes it. */
const byAuthor = (demand: ApprovalRequirement): ApprovalRequirement => ({
  ...demand,
  excludeStarter: false,
  excludeAuthor: true,
})

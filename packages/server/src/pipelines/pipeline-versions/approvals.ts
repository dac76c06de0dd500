import type { ApprovalDemand, PipelineVersionApproval } from '@sluice/contract'
import { type Asked, demandsWith, demandToWire } from '../../gates/approval-rules/asked.ts'
import {
  type Demand,
  type Guarded,
  type NotCounted,
  outcomeOf,
  type Person,
  type Rule,
  reasonsInWords,
  type TeamNames,
  teamsInWords,
  whyNobodyCounts,
} from '../../gates/approval-rules/machine.ts'
import { personOf } from '../../gates/approval-rules/person.ts'
import { rulesOfPolicies } from '../../gates/policies/asks.ts'
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
  rulesOfPolicies(policies ?? [], ['STEPS']).map((rule) => ({ ...rule, notStarter: true }))

export const guardedOf = ({ createdById }: PipelineVersionRow): Guarded => ({
  what: ['STEPS'],
  places: [{}],
  isRollback: false,
  starter: { id: createdById, name: undefined },
  authors: [],
})

/** What is asked of a version, by who has approved it and in which teams those are now. */
export const askedOfVersion = (tx: Db, version: PipelineVersionRow): Promise<Asked> =>
  demandsWith(tx, {
    organizationId: version.organizationId,
    rules: rulesOf(version),
    guarded: guardedOf(version),
    approvals: async () => approvalsOf(version).map(({ at, ...given }) => ({ ...given, createdAt: new Date(at) })),
    askedAt: undefined,
  })

export const approvalsOf = ({ approvals }: PipelineVersionRow): VersionApproval[] => approvals ?? []

/** What keeps runs of a version from beginning; undefined where nothing does. */
export async function unapprovedVersion(
  tx: Db,
  { organizationId, pipelineVersionId }: Pick<PipelineRunRow, 'organizationId' | 'pipelineVersionId'>,
): Promise<Unapproved | undefined> {
  const version = await findPipelineVersion(tx, organizationId, pipelineVersionId)
  if (!version) return undefined
  const { demands, names } = await askedOfVersion(tx, version)
  const open = demands.filter(({ isMet }) => !isMet)
  if (open.length === 0) return undefined
  const asks = open.map((demand) => inWords(demand, names)).join('; ')
  return { pipelineVersionId, version: version.version, asks }
}

/** What people read of an approval that is missing: whose, and by which policy. */
const inWords = ({ rule, given }: Demand, names: TeamNames): string =>
  `${given} of ${rule.requiredApprovals} by the policy “${rule.name}”, of ${teamsInWords(rule, names)} but not of who wrote it`

/** Why nobody asks somebody about a version; undefined where a policy does. */
export const whyNotAsked = (version: PipelineVersionRow, person: Person): string | undefined => {
  const reason = whyNobodyCounts(rulesOf(version), person, guardedOf(version))
  return reason && reasons[reason]
}

const reasons = {
  ...reasonsInWords,
  STARTER: 'You wrote it, and the policy asks others.',
  SERVICE_ACCOUNT: 'The policy counts people, not service accounts.',
  NOT_IN_TEAM: 'You are in none of the teams that the policy asks.',
} as const satisfies Record<NotCounted, string>

/** Who must approve a version, and how many have, for whoever asks. */
export async function approvalIn(
  db: Db,
  caller: Caller,
  version: PipelineVersionRow,
  { projectId, now }: { projectId: string; now: Date },
): Promise<PipelineVersionApproval> {
  const given = approvalsOf(version)
  const { demands, names } = await askedOfVersion(db, version)
  const reason =
    demands.length === 0
      ? 'No policy asks about it.'
      : permissionsOn(caller.access, { projectId }).has('approvals:write')
        ? whyNotAsked(version, await personOf(db, caller, now))
        : 'Your roles do not let you approve there.'
  return {
    isAwaited: outcomeOf(demands, now).outcome !== 'free',
    demands: demands.map((demand) => byAuthor(demandToWire(demand, names))),
    approvals: given.map(({ actorType: type, actorId: id, actorName: name, at: createdAt, ...said }) => ({
      ...{ createdAt, actor: { type, id, name } },
      ...said,
    })),
    caller: present({
      mayDecide: reason === undefined,
      reason,
      hasApproved: given.some(({ actorId }) => actorId === caller.membershipId),
    }),
  }
}

/** Nobody starts a version: somebody writes it. */
const byAuthor = (demand: ApprovalDemand): ApprovalDemand => ({ ...demand, notStarter: false, notAuthor: true })

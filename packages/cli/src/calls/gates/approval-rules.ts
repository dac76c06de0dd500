import { findModuleInstance } from '@sluice/calls/find'
import type { ApprovalRule } from '@sluice/contract'
import { connect, type UrlOption } from '../connect.ts'
import type { OutputOption } from '../output.ts'
import { printer, printList } from '../print.ts'

/** Prints the newest 100 approval rules. */
export async function listApprovalRules(wishes: UrlOption & OutputOption): Promise<void> {
  const answer = await connect(wishes).listApprovalRules({ query: { limit: 100 } })
  const columns = ['id', 'name', 'mode', 'guards', 'required', 'teams', 'place', 'reason']
  printList(answer.data, wishes, { whole: answer, columns, none: 'There are no approval rules.', toRow })
}

const toRow = ({ requiredApprovals, teamIds, guards, ...rest }: ApprovalRule) => ({
  ...rest,
  guards: guards.join(','),
  required: requiredApprovals,
  teams: teamIds.join(',') || 'anybody',
  place: rest.moduleInstanceId ?? rest.environmentId ?? rest.projectId ?? 'everything',
})

type New = {
  project?: string
  environment?: string
  instance?: string
  required: number
  team?: string[]
  expires?: number
  reason?: string
  excludeStarter?: true
  excludeAuthor?: true
  serviceAccounts?: true
  rollbacks?: true
  guards: (keyof typeof guarded)[]
  warn?: true
}

const guarded = { deployments: 'DEPLOYMENTS', steps: 'STEPS', applies: 'APPLIES', destroys: 'DESTROYS' } as const

export async function addApprovalRule(name: string, wishes: UrlOption & OutputOption & New): Promise<void> {
  const { project, environment, instance, required, team, expires, reason } = wishes
  const client = connect(wishes)
  const data = {
    name,
    requiredApprovals: required,
    excludeStarter: wishes.excludeStarter === true,
    excludeAuthor: wishes.excludeAuthor === true,
    serviceAccounts: wishes.serviceAccounts === true,
    rollbacks: wishes.rollbacks === true,
    guards: [...new Set(wishes.guards)].map((what) => guarded[what]),
    ...(team !== undefined && { teamIds: team }),
    ...(expires !== undefined && { expiresAfterMinutes: expires }),
    ...(reason !== undefined && { reason }),
    ...(project !== undefined && { projectId: project }),
    ...(environment !== undefined && { environmentId: environment }),
    ...(instance !== undefined && { moduleInstanceId: (await findModuleInstance(client, instance)).id }),
    ...(wishes.warn && { mode: 'WARN' as const }),
  }
  const { data: made } = await client.createApprovalRule({ body: { data } })
  const out = printer(wishes)
  out.say(`${made.id} asks for ${made.requiredApprovals} from now on`)
  out.record(made)
}

export async function deleteApprovalRule(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  await connect(wishes).deleteApprovalRule({ params: { id } })
  printer(wishes).say(`${id} is deleted`)
}

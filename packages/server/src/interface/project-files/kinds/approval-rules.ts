import type { ProjectDocumentOf } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import { idOf, pick, scopeOf } from '../applying.ts'
import type { ApplyContext, Kind } from '../kind.ts'
import { toScope, toTeams } from '../naming.ts'
import { addRecord, all, isInProject, namesOf, principalNames, scopeIn } from '../reading.ts'

const fields = [
  'reason',
  'requiredApprovals',
  'excludeStarter',
  'excludeAuthor',
  'serviceAccounts',
  'expiresAfterMinutes',
  'rollbacks',
  'guards',
  'mode',
] as const

export const approvalRule: Kind<'ApprovalRule'> = {
  identity: ['environment', 'instance', 'name'],
  references: (document) => [...toScope(document), ...toTeams(document.teams, '$.teams')],
  unordered: ['guards', 'teams'],
  async read(reader, projectId) {
    const teams = principalNames(reader, 'TEAM')
    const rules = await all((page) => reader.client.listApprovalRules({ query: { projectId, ...page } }))
    for (const one of rules.filter(isInProject(reader))) {
      addRecord(reader, one.id, {
        kind: 'ApprovalRule',
        name: one.name,
        ...scopeIn(reader, one),
        ...pick(one, fields),
        teams: namesOf(one.teamIds, teams),
      })
    }
  },
  async create(document, context) {
    const data = { ...scopeOf(document, context), name: document.name, ...rulesOf(document, context) }
    return (
      (await context.findExisting(document)) ??
      (await context.client.createApprovalRule({ body: { data } }, context.once('approval-rule'))).data
    )
  },
  update: (id, document, _, context) =>
    context.client.updateApprovalRule({ params: { id }, body: { data: rulesOf(document, context) } }),
  remove: (id, { client }) => client.deleteApprovalRule({ params: { id } }),
}

function rulesOf(document: ProjectDocumentOf<'ApprovalRule'>, context: ApplyContext) {
  const teamIds = document.teams?.map((name) => idOf(context, `TEAM ${name}`))
  return { ...pick(document, fields), ...present({ teamIds }) }
}

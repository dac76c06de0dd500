import type { PolicyApproval, ProjectDocumentOf } from '@sluice/contract'
import { idOf, pick, scopeOf } from '../applying.ts'
import type { ApplyContext, Kind } from '../kind.ts'
import { toScope, toTeams } from '../naming.ts'
import { addRecord, all, isInProject, namesOf, principalNames, scopeIn } from '../reading.ts'

const fields = ['description', 'expression', 'message', 'effect', 'isEnabled', 'rollbacks', 'tests'] as const

export const policy: Kind<'Policy'> = {
  identity: ['environment', 'instance', 'name'],
  references: (document) => [...toScope(document), ...toTeams(document.approval?.teams, '$.approval.teams')],
  rejectChange: (_, changed) =>
    changed.includes('guards')
      ? { path: '$.guards', message: 'what a policy guards cannot change after creation; use another name' }
      : undefined,
  async read(reader, projectId) {
    const teams = principalNames(reader, 'TEAM')
    const policies = await all((page) => reader.client.listPolicies({ query: { projectId, ...page } }))
    for (const one of policies.filter(isInProject(reader))) {
      const { id, name, guards, approval } = one
      addRecord(reader, id, {
        kind: 'Policy',
        name,
        ...scopeIn(reader, one),
        guards,
        ...pick(one, fields),
        ...(approval && { approval: approvalOf(approval, teams) }),
      })
    }
  },
  async create(document, context) {
    const { name, guards } = document
    const data = { ...scopeOf(document, context), name, guards, ...rulesOf(document, context) }
    return (
      (await context.findExisting(document)) ??
      (await context.client.createPolicy({ body: { data } }, context.once('policy'))).data
    )
  },
  update: (id, document, _, context) =>
    context.client.updatePolicy({ params: { id }, body: { data: rulesOf(document, context) } }),
  remove: (id, { client }) => client.deletePolicy({ params: { id } }),
}

const approvalOf = ({ teamIds, ...approval }: PolicyApproval, teams: ReadonlyMap<string, string>) => ({
  ...approval,
  teams: namesOf(teamIds, teams),
})

function rulesOf(document: ProjectDocumentOf<'Policy'>, context: ApplyContext) {
  const { expression, message, approval } = document
  const rules = { ...pick(document, fields), expression, message }
  if (approval === undefined) return rules
  const { teams, ...others } = approval
  return { ...rules, approval: { ...others, teamIds: teams.map((name) => idOf(context, `TEAM ${name}`)) } }
}

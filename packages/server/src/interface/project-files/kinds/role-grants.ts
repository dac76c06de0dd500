import { idOf, scopeOf } from '../applying.ts'
import type { Kind } from '../kind.ts'
import { toEnvironment } from '../naming.ts'
import { addRecord, all, isInProject, scopeIn } from '../reading.ts'

export const roleGrant: Kind<'RoleGrant'> = {
  identity: ['environment', 'principalType', 'name', 'role'],
  keyNames: ({ environment, principalType, name, role }) => [environment, `${principalType} ${name} ${role}`],
  references: ({ principalType, name, environment }) => [
    { key: `${principalType} ${name}`, path: '$.name' },
    ...toEnvironment(environment),
  ],
  async read(reader, projectId) {
    const principals = new Map([...reader.state.ids].map(([key, id]) => [id, key]))
    const grants = await all((page) => reader.client.listRoleGrants({ query: { projectId, ...page } }))
    for (const one of grants.filter(isInProject(reader))) {
      const { id, principalId, principalType, role } = one
      const name = principals.get(principalId)?.slice(principalType.length + 1)
      if (name === undefined) continue
      addRecord(reader, id, { kind: 'RoleGrant', name, principalType, role, ...scopeIn(reader, one) })
    }
  },
  async create({ name, principalType, role, environment }, context) {
    const principalId = idOf(context, `${principalType} ${name}`)
    const scope = scopeOf(environment === undefined ? {} : { environment }, context)
    return (
      await context.client.createRoleGrant({ body: { data: { principalId, role, ...scope } } }, context.once('grant'))
    ).data
  },
  remove: (id, { client }) => client.deleteRoleGrant({ params: { id } }),
}

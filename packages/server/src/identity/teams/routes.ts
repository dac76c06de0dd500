import { routes, type Team, type TeamMember } from '@sluice/contract'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList, unfiltered } from '../../platform/http/handle.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { recordChange } from '../audit-events/record.ts'
import { unmapTeam } from '../identity-providers/store.ts'
import { findTeamMember, insertTeamMember, listTeamMembers, removeTeamMember, shareLockMember } from './members.ts'
import { findTeam, insertTeam, listTeams, nameIndex, removeTeam, shareLockTeam, updateTeam } from './store.ts'
import type { TeamMemberRow, TeamRow } from './tables.ts'

const resourceType = 'team'

export function serveTeams(app: App): void {
  handle(app, routes.createTeam, ({ body: { data }, caller, db, request }) => {
    const create = () =>
      db.transaction(async (tx) => {
        const team = await insertTeam(tx, { organizationId: caller.organizationId, ...data })
        const change = { action: 'teams.create', resourceType, resourceId: team.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(team) }
      })
    return rejectTaken(nameIndex, () => nameTaken(data.name), create)
  })

  handleList(app, routes.listTeams, unfiltered(listTeams), toWire)
  handleGet(app, routes.getTeam, { find: findTeam, notFound, toWire })

  handle(app, routes.updateTeam, ({ params, body: { data }, caller, db, request }) => {
    const update = () =>
      db.transaction(async (tx) => {
        const team = await updateTeam(tx, caller.organizationId, params.id, data)
        if (!team) throw notFound(params.id)
        const change = { action: 'teams.update', resourceType, resourceId: team.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(team) }
      })
    return rejectTaken(nameIndex, () => nameTaken(data.name), update)
  })

  handle(app, routes.deleteTeam, async ({ params, caller, db, request }) => {
    await db.transaction(async (tx) => {
      const team = await removeTeam(tx, caller.organizationId, params.id)
      if (!team) throw notFound(params.id)
      await unmapTeam(tx, caller.organizationId, params.id)
      const change = { action: 'teams.delete', resourceType, resourceId: team.id, details: { name: team.name } }
      await recordChange(tx, { caller, request }, change)
    })
    app.callers.forget()
  })

  serveTeamMembers(app)
}

function serveTeamMembers(app: App): void {
  handle(app, routes.createTeamMember, async ({ body: { data }, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const { teamId, memberId } = data
      if (!(await shareLockTeam(tx, organizationId, teamId))) throw referenceNotFound('teamId', 'team', teamId)
      const member = await shareLockMember(tx, organizationId, memberId)
      if (!member) throw referenceNotFound('memberId', 'membership or service account', memberId)
      const added = await insertTeamMember(tx, { organizationId, teamId, ...member })
      if (!added) throw new ApiError('alreadyInTeam', `${memberId} is already in the team ${teamId}.`)
      const change = { action: 'team-members.create', resourceType, resourceId: teamId, details: { memberId } }
      await recordChange(tx, { caller, request }, change)
      afterwards(() => app.callers.forget())
      return { data: memberToWire(added) }
    }),
  )

  handleList(app, routes.listTeamMembers, listTeamMembers, memberToWire)

  handleGet(app, routes.getTeamMember, { find: findTeamMember, notFound: memberNotFound, toWire: memberToWire })

  handle(app, routes.deleteTeamMember, async ({ params, caller, db, request }) => {
    await db.transaction(async (tx) => {
      const member = await removeTeamMember(tx, caller.organizationId, params.id)
      if (!member) throw memberNotFound(params.id)
      const { teamId, memberId } = memberToWire(member)
      const change = { action: 'team-members.delete', resourceType, resourceId: teamId, details: { memberId } }
      await recordChange(tx, { caller, request }, change)
    })
    app.callers.forget()
  })
}

const nameTaken = (name: string | undefined) =>
  new ApiError('teamNameTaken', `A team named ${name} already exists. Choose another name.`)

const notFound = (id: string) => missing('teamNotFound', 'team', id)

const memberNotFound = (id: string) => missing('teamMemberNotFound', 'membership of a team', id)

const toWire = (row: TeamRow): Team => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  name: row.name,
})

const memberToWire = (row: TeamMemberRow): TeamMember => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  teamId: row.teamId,
  memberId: row.membershipId ?? row.serviceAccountId ?? '',
  memberType: row.membershipId === null ? 'SERVICE_ACCOUNT' : 'MEMBERSHIP',
  source: row.source,
})

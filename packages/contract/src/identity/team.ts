import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { principalTypes } from './principal.ts'

const closed = { additionalProperties: false } as const

export const Team = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    name: Type.String({ description: 'Unique within the organization.' }),
  },
  { ...closed, description: 'Members and service accounts that are given roles together.' },
)
export type Team = Static<typeof Team>

export const CreateTeam = Type.Object({ name: Name }, { ...closed, description: 'A new team.' })
export type CreateTeam = Static<typeof CreateTeam>

export const UpdateTeam = Type.Partial(CreateTeam, { ...closed, description: 'Changes to a team.' })
export type UpdateTeam = Static<typeof UpdateTeam>

const MemberId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The membership or the service account.',
})

/** How somebody came into a team: put there by hand, or by a group at the identity provider. */
export const teamMemberSources = ['HAND', 'GROUP'] as const
export type TeamMemberSource = (typeof teamMemberSources)[number]

export const TeamMember = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    teamId: Id,
    memberId: MemberId,
    memberType: Type.Enum(principalTypes, { description: 'What the member is.' }),
    source: Type.Enum(teamMemberSources, {
      description: 'By hand, or by a group at the identity provider: such a member leaves with the group.',
    }),
  },
  { ...closed, description: 'A member or a service account that is in a team.' },
)
export type TeamMember = Static<typeof TeamMember>

export const CreateTeamMember = Type.Object(
  { teamId: Id, memberId: MemberId },
  { ...closed, description: 'Who is put in which team.' },
)
export type CreateTeamMember = Static<typeof CreateTeamMember>

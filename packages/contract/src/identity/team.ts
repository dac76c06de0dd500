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
    name: Type.String({ description: 'Name, unique within the organization.' }),
  },
  { ...closed, description: 'Group of members and service accounts that share role grants.' },
)
export type Team = Static<typeof Team>

export const CreateTeam = Type.Object({ name: Name }, { ...closed, description: 'Fields of a new team.' })
export type CreateTeam = Static<typeof CreateTeam>

export const UpdateTeam = Type.Partial(CreateTeam, { ...closed, description: 'Fields of a team to change.' })
export type UpdateTeam = Static<typeof UpdateTeam>

const MemberId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'ID of the membership or service account.',
})

/** Origins of a team membership: added manually, or by a group of the identity provider. */
export const teamMemberSources = ['MANUAL', 'GROUP'] as const
export type TeamMemberSource = (typeof teamMemberSources)[number]

export const TeamMember = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    teamId: Id,
    memberId: MemberId,
    memberType: Type.Enum(principalTypes, { description: 'Type of the member.' }),
    source: Type.Enum(teamMemberSources, {
      description: 'MANUAL: added manually. GROUP: added by a group of the identity provider, and removed with it.',
    }),
  },
  { ...closed, description: 'Member or service account of a team.' },
)
export type TeamMember = Static<typeof TeamMember>

export const CreateTeamMember = Type.Object(
  { teamId: Id, memberId: MemberId },
  { ...closed, description: 'Fields of a new team member.' },
)
export type CreateTeamMember = Static<typeof CreateTeamMember>

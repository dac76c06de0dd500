import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { globalRoles } from './permissions.ts'
import { NewPassword, Password } from './sign-in.ts'

export const User = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    email: Type.String({ description: 'Email address with which the user signs in.' }),
    globalRole: Type.Enum(globalRoles, { description: 'Role in the whole installation.' }),
    hasPassword: Type.Boolean({ description: 'Whether the user can sign in with a password.' }),
    fullName: Type.Optional(Type.String({ description: 'Full name of the user.' })),
    shortName: Type.Optional(Type.String({ description: 'Short name of the user.' })),
  },
  { additionalProperties: false, description: 'User, independent of organizations.' },
)
export type User = Static<typeof User>

export const UpdateUser = Type.Object(
  {
    fullName: Type.Optional(Name),
    shortName: Type.Optional(Name),
    password: Type.Optional(
      Type.Object(
        {
          current: Type.Optional(
            Type.String({ ...Password, description: 'Current password. Required if the user has one.' }),
          ),
          new: NewPassword,
        },
        { additionalProperties: false, description: "New password. Changing it ends the user's other sessions." },
      ),
    ),
  },
  { additionalProperties: false },
)
export type UpdateUser = Static<typeof UpdateUser>

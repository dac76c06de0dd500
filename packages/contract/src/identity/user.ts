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
    email: Type.String({ description: 'What the user signs in with.' }),
    globalRole: Type.Enum(globalRoles, { description: 'Role in the whole installation.' }),
    hasPassword: Type.Boolean({ description: 'Whether the user can sign in with a password.' }),
    fullName: Type.Optional(Type.String({ description: "The user's name." })),
    shortName: Type.Optional(Type.String({ description: "A short form of the user's name." })),
  },
  { additionalProperties: false, description: 'A person, whatever organizations the person belongs to.' },
)
export type User = Static<typeof User>

export const UpdateUser = Type.Object(
  {
    fullName: Type.Optional(Name),
    shortName: Type.Optional(Name),
    password: Type.Optional(
      Type.Object(
        {
          current: Type.Optional(Type.String({ ...Password, description: 'Needed once there is one.' })),
          new: NewPassword,
        },
        { additionalProperties: false, description: "A new password. It ends the user's other sessions." },
      ),
    ),
  },
  { additionalProperties: false },
)
export type UpdateUser = Static<typeof UpdateUser>

import { type Static, Type } from 'typebox'

/** Display name provided by users. */
export const Name = Type.String({ minLength: 1, maxLength: 200, description: 'Display name.' })

/** Description provided by users. */
export const Description = Type.String({ maxLength: 10_000, description: 'Description.' })

/** Whether a project or environment ignores inherited roles. */
export const Restricted = Type.Boolean({
  description:
    'Whether only roles granted directly on this resource apply, not those of the organization or project. Owners and admins always have access.',
})

/** Visibility of a project or an environment. */
export const visibilities = ['ORGANIZATION', 'MEMBERS'] as const
export const Visibility = Type.Enum(visibilities, {
  description:
    'ORGANIZATION: visible to everyone in the organization. MEMBERS: visible only to users with a role on this resource, and to owners and admins.',
})
export type Visibility = Static<typeof Visibility>

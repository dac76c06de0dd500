import { type Static, Type } from 'typebox'

/** A display name, as users give it. */
export const Name = Type.String({ minLength: 1, maxLength: 200, description: 'Display name.' })

/** A display text, as users give it. */
export const Description = Type.String({ maxLength: 10_000, description: 'Display text.' })

/** Of a project or an environment: whether roles from further up count there. */
export const Restricted = Type.Boolean({
  description:
    'Whether only roles that are given here count here, and owners and admins: not those of the organization or project.',
})

/** Of a project or an environment: who sees it. */
export const visibilities = ['ORGANIZATION', 'MEMBERS'] as const
export const Visibility = Type.Enum(visibilities, {
  description:
    'Who sees it: everybody in the organization, or only who has a role here, and owners and admins. To others it is not there.',
})
export type Visibility = Static<typeof Visibility>

import { Type } from 'typebox'

/** A display name, as users give it. */
export const Name = Type.String({ minLength: 1, maxLength: 200, description: 'Display name.' })

/** A display text, as users give it. */
export const Description = Type.String({ maxLength: 10_000, description: 'Display text.' })

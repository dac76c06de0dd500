import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const properties = {
  id: Id,
  createdAt: UtcDateTime,
  updatedAt: UtcDateTime,
  organizationId: Id,
  executionEnvironmentId: Id,
  name: Type.String({ description: 'Purpose of the token.' }),
  tokenHint: Type.String({ description: 'First characters of the token, to distinguish tokens.' }),
  lastUsedAt: Type.Optional(UtcDateTime),
}

export const RunnerToken = Type.Object(properties, {
  additionalProperties: false,
  description: 'Registration token with which runners join a pool: `sluice runner --token …`.',
})
export type RunnerToken = Static<typeof RunnerToken>

export const NewRunnerToken = Type.Object(
  { ...properties, token: Type.String({ description: 'Token value. Returned only once.' }) },
  { additionalProperties: false, description: 'New registration token, including its value.' },
)
export type NewRunnerToken = Static<typeof NewRunnerToken>

export const CreateRunnerToken = Type.Object(
  {
    executionEnvironmentId: Type.String({
      ...Id,
      description: 'ID of an execution environment of the kind `runners`.',
    }),
    name: Name,
  },
  { additionalProperties: false, description: 'Fields of a new registration token.' },
)
export type CreateRunnerToken = Static<typeof CreateRunnerToken>

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
  name: Type.String({ description: 'What the token is for.' }),
  tokenHint: Type.String({ description: 'How the token begins, to tell tokens apart.' }),
  lastUsedAt: Type.Optional(UtcDateTime),
}

export const RunnerToken = Type.Object(properties, {
  additionalProperties: false,
  description: 'Lets runners join a pool: `sluice runner --token …`.',
})
export type RunnerToken = Static<typeof RunnerToken>

export const NewRunnerToken = Type.Object(
  { ...properties, token: Type.String({ description: 'The token itself. Shown this once.' }) },
  { additionalProperties: false, description: 'A registration token, as it is shown once.' },
)
export type NewRunnerToken = Static<typeof NewRunnerToken>

export const CreateRunnerToken = Type.Object(
  { executionEnvironmentId: Type.String({ ...Id, description: 'Of the kind `runners`.' }), name: Name },
  { additionalProperties: false, description: 'A new registration token.' },
)
export type CreateRunnerToken = Static<typeof CreateRunnerToken>

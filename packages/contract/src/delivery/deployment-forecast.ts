import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'
import { deploymentStepCodes } from './deployment-progress.ts'

const closed = { additionalProperties: false } as const
const percent = (description: string) => Type.Integer({ minimum: 0, maximum: 100, description })

export const PauseOutlook = Type.Object(
  {
    hookId: Type.String({ description: 'The pause, as its event names it.' }),
    nextStepCode: Type.Optional(
      Type.Enum(deploymentStepCodes, {
        description: 'What begins when it goes on; `PAUSED`: the next pause, at once.',
      }),
    ),
    fromPercent: Type.Optional(percent("The new version's share of the users' traffic now, if that is to move.")),
    toPercent: Type.Optional(percent('And when it went on.')),
    expiresAt: Type.Optional(UtcDateTime),
    timeoutAction: Type.Optional(
      Type.Enum(['CONTINUE', 'ROLLBACK'], { description: 'What happens where nobody decides until then.' }),
    ),
    checksGoOnAt: Type.Optional({
      ...UtcDateTime,
      description: 'When checks go on by themselves at the soonest, if all turn out well; absent where none decide.',
    }),
  },
  { ...closed, description: 'What comes of a pause.' },
)
export type PauseOutlook = Static<typeof PauseOutlook>

export const DeploymentOutlook = Type.Object(
  { pauses: Type.Array(PauseOutlook, { description: 'The pauses that wait to be ended; mostly one.' }) },
  { ...closed, description: 'What comes next.' },
)
export type DeploymentOutlook = Static<typeof DeploymentOutlook>

/** What can be asked for beside a deployment. */
export const outlookIncluded = {
  outlook: {
    ...DeploymentOutlook,
    description: 'What comes of the pauses that it waits in: what begins next, and when by itself.',
  },
} as const

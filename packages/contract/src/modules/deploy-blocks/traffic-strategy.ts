import { Type } from 'typebox'
import { closed, otherwise } from './description.ts'

// Pauses may last 14 days, bakes one.
const PauseMinutes = Type.Integer({ minimum: 1, maximum: 20_160, description: 'Minutes until it ends by itself.' })
export const bakeMinutes = Type.Integer({
  minimum: 0,
  maximum: 1_440,
  description: 'Minutes for which the old version is kept after all traffic moved.',
})
const StepMinutes = Type.Integer({ minimum: 0, maximum: 1_440, description: 'Minutes after each step but the last.' })
const percent = (description: string) => Type.Number({ minimum: 1, maximum: 100, description })

/**
 * What the `strategy` of a deploy block says beside its type where it shifts traffic, with pauses at any of `stages`.
 */
export const trafficShiftParts = (stages: readonly string[]) => ({
  linear: otherwise(
    Type.Object(
      {
        step_percentage: otherwise(percent('Percent of the traffic that moves at a time.'), 20),
        step_bake_time_in_minutes: otherwise(StepMinutes, 5),
      },
      closed,
    ),
    {},
  ),
  canary: otherwise(
    Type.Object(
      {
        canary_percent: otherwise(percent('Percent of the traffic that moves first.'), 5),
        canary_bake_time_in_minutes: otherwise(StepMinutes, 10),
      },
      closed,
    ),
    {},
  ),
  pause_stages: otherwise(
    Type.Array(
      Type.Object(
        {
          stage: Type.Enum([...stages], { description: 'Where it waits for a person.' }),
          timeout_in_minutes: otherwise(PauseMinutes, 1_440),
          timeout_action: otherwise(
            Type.Enum(['ROLLBACK', 'CONTINUE'], { description: 'What becomes of it when nobody decides in time.' }),
            'ROLLBACK',
          ),
        },
        closed,
      ),
      // The cloud takes ten pause hooks a service; where we pause ourselves it is as many.
      { maxItems: 10 },
    ),
    [],
  ),
})

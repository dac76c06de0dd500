import { Type } from 'typebox'
import { closed, withDefault } from './description.ts'

// Pauses can last up to 14 days, bake times one day.
const PauseMinutes = Type.Integer({
  minimum: 1,
  maximum: 20_160,
  description: 'Minutes until the pause ends automatically.',
})
export const bakeMinutes = Type.Integer({
  minimum: 0,
  maximum: 1_440,
  description: 'Minutes for which the old version is retained after all traffic has shifted.',
})
const StepMinutes = Type.Integer({
  minimum: 0,
  maximum: 1_440,
  description: 'Minutes to wait after each step except the last.',
})
const percent = (description: string) => Type.Number({ minimum: 1, maximum: 100, description })

/** Returns the traffic-shifting fields of the `strategy` in a deploy block, with pauses at any of `stages`. */
export const trafficShiftParts = (stages: readonly string[]) => ({
  linear: withDefault(
    Type.Object(
      {
        step_percentage: withDefault(percent('Percentage of traffic to shift per step.'), 20),
        step_bake_time_in_minutes: withDefault(StepMinutes, 5),
      },
      closed,
    ),
    {},
  ),
  canary: withDefault(
    Type.Object(
      {
        canary_percent: withDefault(percent('Percentage of traffic to shift first.'), 5),
        canary_bake_time_in_minutes: withDefault(StepMinutes, 10),
      },
      closed,
    ),
    {},
  ),
  pause_stages: withDefault(
    Type.Array(
      Type.Object(
        {
          stage: Type.Enum([...stages], { description: 'Stage at which the release pauses.' }),
          timeout_in_minutes: withDefault(PauseMinutes, 1_440),
          timeout_action: withDefault(
            Type.Enum(['ROLLBACK', 'CONTINUE'], { description: 'Action if no decision is made before the timeout.' }),
            'ROLLBACK',
          ),
        },
        closed,
      ),
      // The cloud allows ten pause hooks per service; pauses by Sluice have the same limit.
      { maxItems: 10 },
    ),
    [],
  ),
})

import { Type } from 'typebox'

const closed = { additionalProperties: false } as const

/** Minutes. Pauses may last 14 days, bakes one. */
const PauseMinutes = Type.Integer({ minimum: 1, maximum: 20_160 })
const BakeMinutes = Type.Integer({ minimum: 0, maximum: 1_440 })
const Percent = Type.Number({ minimum: 1, maximum: 100 })

/** What the `strategy` of a rendered deploy block says beside its type where it shifts traffic, with pauses at any of `stages`. */
export const trafficShiftParts = (stages: readonly string[]) => ({
  bake_time_in_minutes: Type.Optional(BakeMinutes),
  linear: Type.Optional(
    Type.Union([
      Type.Object(
        { step_percentage: Type.Optional(Percent), step_bake_time_in_minutes: Type.Optional(BakeMinutes) },
        closed,
      ),
      Type.Null(),
    ]),
  ),
  canary: Type.Optional(
    Type.Union([
      Type.Object(
        { canary_percent: Type.Optional(Percent), canary_bake_time_in_minutes: Type.Optional(BakeMinutes) },
        closed,
      ),
      Type.Null(),
    ]),
  ),
  pause_stages: Type.Optional(
    Type.Union([
      Type.Array(
        Type.Object(
          {
            stage: Type.Enum([...stages]),
            timeout_in_minutes: Type.Optional(PauseMinutes),
            timeout_action: Type.Optional(Type.Enum(['ROLLBACK', 'CONTINUE'])),
          },
          closed,
        ),
        // The cloud takes ten pause hooks a service; where we pause ourselves it is as many.
        { maxItems: 10 },
      ),
      Type.Null(),
    ]),
  ),
})

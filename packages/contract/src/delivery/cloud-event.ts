import { type Static, Type } from 'typebox'
import { FreeFormObject } from '../values/free-form.ts'
import { UtcDateTime } from '../values/time.ts'

/** Header with the event secret of the cloud account. */
export const eventSecretHeader = 'x-sluice-event-secret'

/**
 * Event as delivered by the cloud's event bus. Only the envelope is validated; the detail and additional members are
 * passed through.
 */
export const CloudEvent = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 200, description: 'Unique ID of the event. Deliveries can repeat.' }),
    source: Type.String({ minLength: 1, maxLength: 256, description: 'Cloud service that emitted the event.' }),
    'detail-type': Type.String({ minLength: 1, maxLength: 256, description: 'Type of the event.' }),
    account: Type.String({ pattern: '^\\d{12}$', description: 'Account number, 12 digits.' }),
    time: UtcDateTime,
    region: Type.String({ minLength: 1, maxLength: 64, description: 'Cloud region.' }),
    resources: Type.Array(Type.String(), { description: 'ARNs of the resources that the event concerns.' }),
    detail: FreeFormObject,
  },
  { description: "Event from the cloud's event bus." },
)
export type CloudEvent = Static<typeof CloudEvent>

export const CloudEventReceipt = Type.Object(
  { accepted: Type.Literal(true) },
  { additionalProperties: false, description: 'Receipt of an event that was stored for processing.' },
)
export type CloudEventReceipt = Static<typeof CloudEventReceipt>

import { type Static, Type } from 'typebox'
import { FreeFormObject } from '../values/free-form.ts'
import { UtcDateTime } from '../values/time.ts'

/** The header that carries the event secret of the cloud account. */
export const eventSecretHeader = 'x-sluice-event-secret'

/** An event as the cloud's event bus delivers it: the envelope is checked, other members and the detail are its own. */
export const CloudEvent = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 200, description: 'Unique for the event: deliveries may repeat.' }),
    source: Type.String({ minLength: 1, maxLength: 256, description: 'Which part of the cloud tells it.' }),
    'detail-type': Type.String({ minLength: 1, maxLength: 256, description: 'What kind of event it is.' }),
    account: Type.String({ pattern: '^\\d{12}$', description: 'Twelve-digit number of the account.' }),
    time: UtcDateTime,
    region: Type.String({ minLength: 1, maxLength: 64, description: 'Cloud region.' }),
    resources: Type.Array(Type.String(), { description: 'The resources it is about.' }),
    detail: FreeFormObject,
  },
  { description: "An event from the cloud's event bus." },
)
export type CloudEvent = Static<typeof CloudEvent>

export const CloudEventReceipt = Type.Object(
  { accepted: Type.Literal(true) },
  { additionalProperties: false, description: 'The event is stored and will be looked at.' },
)
export type CloudEventReceipt = Static<typeof CloudEventReceipt>

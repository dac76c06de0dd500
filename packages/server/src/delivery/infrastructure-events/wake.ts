/** The engine's object, keyed by the id of an event: looks whether the event tells of a release from outside. */
export const cloudEventService = 'cloud-event'

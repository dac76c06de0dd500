/** Search parameters of the page, with their input types. */
export const filterNames = [
  'actorName',
  'actorType',
  'actorId',
  'channel',
  'action',
  'resourceType',
  'resourceId',
  'from',
  'to',
] as const

export type Filters = Partial<Record<(typeof filterNames)[number], string>>

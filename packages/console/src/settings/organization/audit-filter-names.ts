/** What the address of the page may say, each as people enter it. */
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

/** Whether the service answers at all, however it is. */
export const isThere = (): Promise<boolean> =>
  fetch('/health/live', { cache: 'no-store' }).then(
    ({ status }) => status < 500,
    () => false,
  )

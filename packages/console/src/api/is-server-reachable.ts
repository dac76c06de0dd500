/** Returns whether the server responds, with any status. */
export const isServerReachable = (): Promise<boolean> =>
  fetch('/health/live', { cache: 'no-store' }).then(
    ({ status }) => status < 500,
    () => false,
  )

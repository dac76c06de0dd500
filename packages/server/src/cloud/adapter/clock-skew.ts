/**
 * Margin, in milliseconds, by which searches of the cloud's lists start earlier than Sluice's clock says, because the
 * server's clock may be wrong. A day also covers a wrong time zone. Results are then matched by identity.
 */
export const clockSkewMs = 86_400_000

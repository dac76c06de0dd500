/**
 * How far before the time of our clock a list of the cloud's is asked for. Requests are signed by the cloud's clock
 * where ours is off, so it may be off by more than the cloud bears in signatures; a day covers a wrong time zone, too.
 * What else is listed for that is told apart by its identity. Milliseconds.
 */
export const clockSkewMs = 86_400_000

import type { Change } from '@sluice/contract'

export type ChangeListeners = {
  /** Called with changed records. */
  onChanges(changes: Change[]): void
  /** Called if anything may have changed. */
  onReset(): void
  /** Called when the connection goes up or down. */
  onLive(isLive: boolean): void
  /** Called if the server rejects the connection, for example after the session ended. */
  onRefused(): void
}

/** Closes the connection of a hidden page after this time. Browsers allow six connections per host over all tabs. */
const hiddenTimeoutMs = 30_000
/** After a rejection the browser gives up, so the page retries. */
const retryMs = 3_000

/** Follows changes of the organization while the page is visible. Returns a function that stops it. */
export function followChanges({ onChanges, onReset, onLive, onRefused }: ChangeListeners): () => void {
  let source: EventSource | undefined
  let lastEventId = document.querySelector<HTMLMetaElement>('meta[name="changes-from"]')?.content
  let timer: ReturnType<typeof setTimeout> | undefined

  const close = () => {
    clearTimeout(timer)
    source?.close()
    source = undefined
  }
  const open = () => {
    close()
    // On reconnect, the browser sends the last event ID as a header; a new connection can send it only in the URL.
    const opened = new EventSource(lastEventId === undefined ? '/changes' : `/changes?lastEventId=${lastEventId}`)
    opened.onopen = () => onLive(true)
    opened.onmessage = (event) => {
      lastEventId = event.lastEventId
      onChanges(JSON.parse(event.data) as Change[])
    }
    opened.addEventListener('reset', (event) => {
      lastEventId = event.lastEventId
      onReset()
    })
    opened.onerror = () => {
      onLive(false)
      if (opened.readyState !== EventSource.CLOSED) return
      onRefused()
      timer = setTimeout(open, retryMs)
    }
    source = opened
  }
  const look = () => {
    clearTimeout(timer)
    if (document.hidden) timer = setTimeout(close, hiddenTimeoutMs)
    else if (source?.readyState !== EventSource.OPEN) open()
  }

  open()
  document.addEventListener('visibilitychange', look)
  return () => {
    document.removeEventListener('visibilitychange', look)
    close()
  }
}

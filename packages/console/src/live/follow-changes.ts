import type { Change } from '@sluice/contract'

export type Told = {
  /** These records changed. */
  onChanges(changes: Change[]): void
  /** Anything may have changed. */
  onReset(): void
  /** Whether changes arrive as they happen. */
  onLive(isLive: boolean): void
  /** The service wants nothing to do with us: the session may be over. */
  onRefused(): void
}

/**
 * A page that nobody looks at lets go of its connection after so long: browsers allow six to one place, over all tabs.
 */
const unseenMs = 30_000
/** After a refusal the browser gives up; we try again. */
const retryMs = 3_000

/**
 * Follows the changes of the organization while the page is looked at, from before it asked anything; the answer ends
 * it.
 */
export function followChanges({ onChanges, onReset, onLive, onRefused }: Told): () => void {
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
    // It comes back by itself, and says which event it saw last; where it begins, it can do so in the address only.
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
    if (document.hidden) timer = setTimeout(close, unseenMs)
    else if (source?.readyState !== EventSource.OPEN) open()
  }

  open()
  document.addEventListener('visibilitychange', look)
  return () => {
    document.removeEventListener('visibilitychange', look)
    close()
  }
}

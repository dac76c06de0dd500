import type { ModuleInstanceLogLine, UserFacingError } from '@sluice/contract'
import { useEffect, useState } from 'react'

/** Maximum number of lines on a page. Older ones are loaded page by page. */
const maxLines = 5_000

export type LogTail = { lines: ModuleInstanceLogLine[]; error: UserFacingError | undefined }

const nothing: LogTail = { lines: [], error: undefined }

/** Streams new log lines while `isFollowed`. */
export function useLogTail(
  { id, sourceId, filter }: { id: string; sourceId: string; filter: string },
  isFollowed: boolean,
): LogTail {
  const [tail, setTail] = useState(nothing)
  useEffect(() => {
    setTail(nothing)
    if (!isFollowed) return
    const query = new URLSearchParams({ sourceId, ...(filter !== '' && { filter }) })
    const source = new EventSource(`/module-instances/${encodeURIComponent(id)}/logs/stream?${query}`)
    source.onmessage = ({ data }) => {
      const line = JSON.parse(data) as ModuleInstanceLogLine
      setTail(({ lines }) => ({ lines: [...lines.slice(1 - maxLines), line], error: undefined }))
    }
    source.addEventListener('trouble', ({ data }) =>
      setTail(({ lines }) => ({ lines, error: JSON.parse(data) as UserFacingError })),
    )
    source.addEventListener('end', () => source.close())
    return () => source.close()
  }, [id, sourceId, filter, isFollowed])
  return tail
}

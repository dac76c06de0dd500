import { useEffect, useState, useSyncExternalStore } from 'react'
import { type LogState, LogStream } from './log-stream.ts'

const nothingYet: LogState = { lines: [], status: 'connecting' }
const never = () => () => {}
const nothing = () => nothingYet

/** Streams the log of a step while the component is mounted. */
export function useLog(stepExecutionId: string): LogState & { again: () => void } {
  const [stream, setStream] = useState<LogStream>()
  const [times, setTimes] = useState(0)
  useEffect(() => {
    const opened = new LogStream(stepExecutionId)
    setStream(opened)
    return () => opened.close()
  }, [stepExecutionId, times])
  const state = useSyncExternalStore(stream?.subscribe ?? never, stream?.state ?? nothing)
  return { ...state, again: () => setTimes(times + 1) }
}

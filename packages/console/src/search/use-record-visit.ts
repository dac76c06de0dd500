import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'

/** Records a visit after the page is drawn, and loads its code on demand to keep the first page small. */
export function useRecordVisit(title: string): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname ?? '' })
  useEffect(() => {
    let isLeft = false
    import('./recent-visits.ts').then(({ recordVisit }) => isLeft || recordVisit(path, title))
    return () => {
      isLeft = true
    }
  }, [path, title])
}

import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'

/** Notes that the page with this title was seen, once it is drawn: the scripts of the first page are counted. */
export function useSeen(title: string): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname ?? '' })
  useEffect(() => {
    let isLeft = false
    import('./recently-seen.ts').then(({ notePage }) => isLeft || notePage(path, title))
    return () => {
      isLeft = true
    }
  }, [path, title])
}

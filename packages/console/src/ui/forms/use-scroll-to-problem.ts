import { type RefObject, useEffect } from 'react'

/** Invalid fields first, otherwise the error panel. */
const places = ['[aria-invalid="true"]', '[role="alert"]'] as const

/** Scrolls to the first problem when the server rejects a form. */
export function useScrollToProblem(form: RefObject<HTMLElement | null>, refusal: unknown): void {
  useEffect(() => {
    if (!refusal) return
    const fault = places.map((place) => form.current?.querySelector<HTMLElement>(place)).find(Boolean)
    fault?.scrollIntoView({ block: 'center' })
    fault?.focus({ preventScroll: true })
  }, [form, refusal])
}

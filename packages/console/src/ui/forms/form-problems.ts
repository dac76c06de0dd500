import { createContext } from 'react'

/** Problems of the enclosing form's fields, by path in the request. */
export const FormProblems = createContext<Readonly<Record<string, string>>>({})

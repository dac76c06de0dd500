export { ExpressionError, type Fault, render } from './render.ts'

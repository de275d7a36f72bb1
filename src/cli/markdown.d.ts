/** A page of the docs, which the build takes in as text (scripts/build.mjs). */
declare module '*.md' {
  const text: string;
  export default text;
}

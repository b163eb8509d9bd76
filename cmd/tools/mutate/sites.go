package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
)

// Site is one place of the code with one way to be wrong.
type Site struct {
	File         string // as given by the folder on the command line, with slashes
	Line, Column int
	Func         string // Type.Method or function, "-" outside of both
	Kind         string // what is done to Code
	Code         string // on one line
}

// finder collects the sites of the files of a package and the edits that make
// them choosable.
type finder struct {
	fset   *token.FileSet
	info   *types.Info
	folder string
	sites  []Site

	source  []byte // of the file in hand
	edits   edits
	stack   []ast.Node
	current string
}

// file finds the sites of a file and returns its text with them built in.
func (f *finder) file(file *ast.File, source []byte) []byte {
	f.source, f.edits, f.current = source, edits{}, "-"
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			if _, ok := f.stack[len(f.stack)-1].(*ast.FuncDecl); ok {
				f.current = "-"
			}
			f.stack = f.stack[:len(f.stack)-1]
			return true
		}
		if !f.visit(n) {
			return false
		}
		f.stack = append(f.stack, n)
		return true
	})
	return f.edits.apply(source)
}

// visit reports whether to go on below a node.
func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok != token.CONST
	case *ast.FuncDecl:
		f.current = n.Name.Name
		if n.Recv != nil {
			f.current = receiver(n.Recv.List[0].Type) + "." + f.current
		}
	case *ast.IfStmt:
		if n.Else == nil && leaves(n.Body.List) {
			f.guard(n.Cond)
		}
	case *ast.CaseClause:
		tagless := f.tagless()
		for _, cond := range n.List {
			if tagless && leaves(n.Body) {
				f.guard(cond)
			}
		}
	case *ast.UnaryExpr:
		if f.mayChange(n) && n.Op == token.NOT && f.isBool(n) {
			f.wrap(n, "((", fmt.Sprintf(") != mutant(%d))", f.add(n.OpPos, "! dropped", n)))
		}
	case *ast.BinaryExpr:
		if f.info.Types[n].Value != nil {
			return false
		}
		if f.mayChange(n) {
			f.binary(n)
		}
	}
	return true
}

// tagless reports whether the clause in hand belongs to a switch over
// conditions.
func (f *finder) tagless() bool {
	if len(f.stack) < 2 {
		return false
	}
	s, ok := f.stack[len(f.stack)-2].(*ast.SwitchStmt)
	return ok && s.Tag == nil
}

// mayChange reports whether a node is no part of a case that must stay as it
// is: two equal constants there would not compile.
func (f *finder) mayChange(n ast.Expr) bool {
	for i := len(f.stack) - 1; i >= 2; i-- {
		c, ok := f.stack[i].(*ast.CaseClause)
		if !ok {
			continue
		}
		if s, ok := f.stack[i-2].(*ast.SwitchStmt); ok && s.Tag == nil {
			return true
		}
		for _, e := range c.List {
			if e.Pos() <= n.Pos() && n.End() <= e.End() {
				return false
			}
		}
		return true
	}
	return true
}

// opposites says by what an operator is replaced, and by which function of the
// added file.
var opposites = map[token.Token]struct {
	by       string
	function string
}{
	token.LSS: {"<=", "mutantLess"},
	token.LEQ: {"<", "mutantLessEqual"},
	token.GTR: {">=", "mutantGreater"},
	token.GEQ: {">", "mutantGreaterEqual"},
	token.ADD: {"-", "mutantAdd"},
	token.SUB: {"+", "mutantSub"},
	token.EQL: {"!=", ""},
	token.NEQ: {"==", ""},
}

func (f *finder) binary(n *ast.BinaryExpr) {
	op := n.Op
	switch op {
	case token.LAND, token.LOR:
		if parent, ok := f.outer().(*ast.BinaryExpr); ok && parent.Op == op {
			return // its operands are those of the outer one
		}
		for _, operand := range operands(n, op) {
			if !f.isBool(operand) {
				continue
			}
			id := f.add(operand.Pos(), "drop "+op.String(), operand)
			if op == token.LAND {
				f.wrap(operand, fmt.Sprintf("(mutant(%d) || ", id), ")")
			} else {
				f.wrap(operand, fmt.Sprintf("(!mutant(%d) && ", id), ")")
			}
		}
	case token.EQL, token.NEQ:
		id := f.add(n.OpPos, op.String()+" as "+opposites[op].by, n)
		f.wrap(n, "((", fmt.Sprintf(") != mutant(%d))", id))
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.ADD, token.SUB:
		basic, ok := f.info.TypeOf(n.X).Underlying().(*types.Basic)
		isNumber := ok && basic.Info()&types.IsNumeric != 0
		if (op == token.ADD || op == token.SUB) && !isNumber || f.hasShift(n.X) || f.hasShift(n.Y) {
			return
		}
		id := f.add(n.OpPos, op.String()+" as "+opposites[op].by, n)
		f.wrap(n, fmt.Sprintf("%s(%d, ", opposites[op].function, id), ")")
		f.edits.replace(f.offset(n.OpPos), len(op.String()), ",")
	}
}

// outer returns the node around the one in hand, parentheses left out.
func (f *finder) outer() ast.Node {
	for i := len(f.stack) - 1; i >= 0; i-- {
		if _, ok := f.stack[i].(*ast.ParenExpr); !ok {
			return f.stack[i]
		}
	}
	return nil
}

// operands returns the operands of a chain of one operator.
func operands(e ast.Expr, op token.Token) []ast.Expr {
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && b.Op == op {
		return append(operands(b.X, op), operands(b.Y, op)...)
	}
	return []ast.Expr{e}
}

// guard makes a condition choosable as false.
func (f *finder) guard(cond ast.Expr) {
	if f.isBool(cond) {
		f.wrap(cond, fmt.Sprintf("!mutant(%d) && (", f.add(cond.Pos(), "guard", cond)), ")")
	}
}

// isBool reports whether an expression is of type bool and no constant.
func (f *finder) isBool(e ast.Expr) bool {
	t := f.info.Types[e]
	return t.Value == nil && (t.Type == types.Typ[types.Bool] || t.Type == types.Typ[types.UntypedBool])
}

// hasShift reports whether an operand gets its type from the other one in a way
// that a function's parameters would not give.
func (f *finder) hasShift(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if ok && (b.Op == token.SHL || b.Op == token.SHR) && f.info.Types[b].Value == nil && f.info.Types[b.X].Value != nil {
			found = true
		}
		return true
	})
	return found
}

// add records a site and returns its number, from 1.
func (f *finder) add(at token.Pos, kind string, n ast.Node) int {
	p := f.fset.Position(at)
	code := strings.Join(strings.Fields(string(f.source[f.offset(n.Pos()):f.offset(n.End())])), " ")
	f.sites = append(f.sites, Site{
		File: filepath.ToSlash(filepath.Join(f.folder, filepath.Base(p.Filename))), Line: p.Line, Column: p.Column,
		Func: f.current, Kind: kind, Code: code,
	})
	return len(f.sites)
}

func (f *finder) wrap(n ast.Node, before, after string) {
	f.edits.wrap(f.offset(n.Pos()), f.offset(n.End()), before, after)
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

// receiver names the type of a method.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

// leaves reports whether statements end by going elsewhere.
func leaves(body []ast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch body[len(body)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	}
	return false
}
